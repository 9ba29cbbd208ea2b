#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks the WebAssembly module and the library the same questions: the answers must have the same bytes.

compare.py MODULE.js LIBRARY QUESTIONS [--times]
"""

import ctypes
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent


def library_answers(library, questions):
    orrery = ctypes.CDLL(library)
    orrery.orrery_call.restype = orrery.orrery_json.restype = ctypes.c_void_p
    orrery.orrery_call.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    for function in (orrery.orrery_json, orrery.orrery_status, orrery.orrery_free):
        function.argtypes = [ctypes.c_void_p]
    for command, question in questions:
        begin = time.perf_counter()
        answer = orrery.orrery_call(command.encode(), question.encode(), None)
        ms = 1e3 * (time.perf_counter() - begin)
        text = ctypes.string_at(orrery.orrery_json(answer)).decode()
        yield {"status": orrery.orrery_status(answer), "json": text, "ms": ms}
        orrery.orrery_free(answer)


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    begin = max(0, at - 100)
    return f"  library: …{a[begin:at + 100]!r}\n  module:  …{b[begin:at + 100]!r}"


def main():
    module, library, file = sys.argv[1:4]
    questions = [m.groups() for m in re.finditer(r"^([a-z -]+?) (\{.*\})$", Path(file).read_text(), re.M)]
    if not questions:
        sys.exit(f"{file} has no question")
    answered = subprocess.run(["node", FOLDER / "answers.cjs", module, file], capture_output=True, text=True, check=False)
    lines = answered.stdout.splitlines()
    if answered.returncode != 0 or len(lines) != len(questions):
        sys.exit(f"the module answered {len(lines)} of {len(questions)} questions\n{answered.stderr[-2000:]}")
    different = 0
    ratios = []
    for question, line, expected in zip(questions, lines, library_answers(library, questions)):
        own = json.loads(line)
        ratios.append(own["ms"] / expected["ms"])
        if "--times" in sys.argv:
            print(f"{expected['ms']:9.1f} ms {own['ms']:9.1f} ms  {expected['status']} {' '.join(question)}")
        if (own["status"], own["json"]) != (expected["status"], expected["json"]):
            different += 1
            print(f"{' '.join(question)}: status {expected['status']}, of the module {own['status']}")
            print(first_difference(expected["json"], own["json"]))
    print(f"{len(questions) - different} of {len(questions)} answers are equal; time of the module: "
          f"{statistics.median(ratios):.2f} times that of the library in the median")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
