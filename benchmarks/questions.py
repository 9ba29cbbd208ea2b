#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the command of each question in docs/questions.md.

  questions.py ORRERY [--runs N] [--update]

Prints the fastest of N runs per command, in seconds. --update writes them into the page. Exit code 1 if a command fails
or takes more than 2 s.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "questions.md"
LIMIT = 2.0
ROW = re.compile(r"^\| ([^|]+) \| `(orrery [^`]+)`([^|]*) \| ?([0-9.]*) ?\| (.+) \|$")


def seconds(program, command, runs):
    words = [program, *shlex.split(command)[1:]]
    best = float("inf")
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
            begin = time.perf_counter()
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
            best = min(best, time.perf_counter() - begin)
        if done.returncode != 0:
            sys.exit(f"questions.py: exit code {done.returncode} of '{command}':\n{done.stderr}")
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--update", action="store_true")
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    lines = PAGE.read_text().splitlines()
    slow = 0
    for i, line in enumerate(lines):
        row = ROW.match(line)
        if not row:
            continue
        question, command, note, _, guide = row.groups()
        taken = seconds(program, command, asked.runs)
        slow += taken > LIMIT
        print(f"{taken:6.2f} s  {question}")
        lines[i] = f"| {question} | `{command}`{note} | {taken:.2f} | {guide} |"
    if asked.update:
        PAGE.write_text("\n".join(lines) + "\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
