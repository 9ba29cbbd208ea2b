#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates JSON results of commands against the schemas that `orrery schema output` and `orrery schema question` print.

Usage: check_json.py PROGRAM FOLDER   (FOLDER: what run_orrery.sh copied)
"""
import json
import pathlib
import subprocess
import sys

import jsonschema


def is_result(document):
    return isinstance(document, dict) and {"orrery", "command"} <= document.keys()


def schema_of(program, *words):
    schema = json.loads(subprocess.run([program, "schema", *words], check=True, capture_output=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def validator(program, command):
    schema = schema_of(program, "output", command)
    schema["properties"]["question"] = schema_of(program, "question", command)
    return jsonschema.Draft202012Validator(schema)


def main(program, folder):
    validators, wrong = {}, 0
    for path in sorted(pathlib.Path(folder).iterdir()):
        if path.suffix == ".command":
            continue
        try:
            document = json.loads(path.read_text())
        except (UnicodeDecodeError, json.JSONDecodeError):
            continue
        if not is_result(document):
            continue
        command = document["command"]
        if command not in validators:
            validators[command] = validator(program, command)
        errors = list(validators[command].iter_errors(document))
        wrong += len(errors)
        for error in errors[:10]:
            line = path.with_suffix(".command").read_text().strip()
            print(f"{path.name}: {line}\n  {error.json_path}: {error.message[:300]}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
