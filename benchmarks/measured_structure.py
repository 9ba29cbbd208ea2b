#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares recordings that are changed into other sizes with recordings of those sizes.

    python3 benchmarks/measured_structure.py record FOLDER          # with PyTorch, some minutes
    python3 benchmarks/measured_structure.py compare ORRERY FOLDER

`record` records a transformer (collect/examples/transformer.py) in ten sizes, three times each. `compare`
changes each recording into every other size that differs only in layers or only in microbatches. It
prints the error of the step, compared with the median of the three recorded ones.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys

ROUNDS = (1, 2, 3)
SIZES = [(4, 1), (6, 1), (8, 1), (12, 1), (4, 4), (6, 4), (8, 4), (12, 4), (6, 2), (6, 8)]
HERE = pathlib.Path(__file__).resolve().parent.parent


def folder_of(root: str, turn: int, size: tuple[int, int]) -> pathlib.Path:
    return pathlib.Path(root) / f"round{turn}_layers{size[0]}_microbatches{size[1]}"


def record(root: str) -> None:
    for turn in ROUNDS:
        for size in SIZES:
            subprocess.run([sys.executable, str(HERE / "collect/examples/transformer.py"),
                            str(folder_of(root, turn, size)), "--layers", str(size[0]),
                            "--microbatches", str(size[1])],
                           check=True, env={"PYTHONPATH": str(HERE / "collect")})


def step(orrery: str, root: str, turn: int, size: tuple[int, int], change: str = "") -> float | None:
    """Step in milliseconds; None if the change is refused."""
    trace = folder_of(root, turn, size) / "rank0.kineto.json.gz"
    words = [orrery, "whatif", str(trace), "--json", "-q"] + ([change] if change else [])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    result = json.loads(done.stdout)["result"]
    return (result["changed_step_ns"] if change else result["base_step_ns"]) / 1e6


def pairs() -> list[tuple[tuple[int, int], tuple[int, int], str]]:
    made = []
    for a in SIZES:
        for b in SIZES:
            if a[1] == b[1] and a[0] != b[0]:
                made.append((a, b, f"layers={b[0]}"))
            elif a[0] == b[0] and a[1] != b[1] and a[1] >= 4:
                made.append((a, b, f"microbatches={b[1]}"))
    return made


def compare(orrery: str, root: str) -> None:
    truth = {}
    print("| layers | microbatches | recorded, ms | spread |\n|---|---|---|---|")
    for size in SIZES:
        steps = [step(orrery, root, turn, size) or 0 for turn in ROUNDS]
        truth[size] = statistics.median(steps)
        print(f"| {size[0]} | {size[1]} | {', '.join(f'{s:.0f}' for s in steps)} | "
              f"{100 * (max(steps) / min(steps) - 1):.1f} % |")
    errors: dict[str, list[float]] = {"layers": [], "microbatches": []}
    refused = 0
    for a, b, change in pairs():
        for turn in ROUNDS:
            predicted = step(orrery, root, turn, a, change)
            if predicted is None:
                refused += 1
            else:
                errors[change.split("=")[0]].append(100 * (predicted / truth[b] - 1))
    print("\n| change | predictions | mean | median | 90 % | signed |\n|---|---|---|---|---|---|")
    for what, signed in errors.items():
        sizes = sorted(map(abs, signed))
        print(f"| {what} | {len(signed)} | {statistics.mean(sizes):.1f} % | {statistics.median(sizes):.1f} % | "
              f"{sizes[int(0.9 * len(sizes))]:.1f} % | {statistics.mean(signed):+.1f} % |")
    print(f"\n{refused} changes refused")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "record":
        record(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        compare(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
