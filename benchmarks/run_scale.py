#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the scaling series: cost of simulations by system size, as a table and as a picture.

Usage: benchmarks/run_scale.py [--quick] [--build FOLDER] [--table FILE.md] [--picture FILE.svg]
(needs a release build; 4 GB of memory and some minutes without --quick)
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# CPU seconds and MB of ASTRA-sim 2.x (analytical, congestion-unaware) by (chunks, NPUs), measured on a
# comparable machine with the inputs of tests/golden (cases scale_*): all-reduce of 1 GiB, ring, direct
# and halving-doubling over three dimensions.
REFERENCE = {
    (1, 64): (0.01, 13), (1, 256): (0.03, 20), (1, 512): (0.09, 29), (1, 1024): (0.39, 53),
    (1, 2048): (0.93, 97), (1, 4096): (1.45, 195), (1, 8192): (10.6, 425), (1, 16384): (22.7, 1061),
    (4, 64): (0.01, 14), (4, 256): (0.08, 24), (4, 512): (0.26, 37), (4, 1024): (0.82, 81),
    (4, 2048): (2.7, 153), (4, 4096): (6.9, 307), (4, 8192): (22.4, 650), (4, 16384): (64.1, 1891),
    (64, 64): (0.10, 21), (64, 512): (4.6, 95),
}
SHAPES = {
    64: "4x4x4", 256: "8x8x4", 512: "8x8x8", 1024: "16x16x4", 2048: "16x16x8", 4096: "16x16x16",
    8192: "32x16x16", 16384: "32x32x16", 131072: "64x64x32", 1048576: "128x128x64",
}
GPT3 = ["spec=examples/workloads/gpt3-175b-1024.yaml", "cluster=examples/clusters/selene-1024.yaml",
        "schedule.kind=1f1b", "schedule.chunks=1", "parallel.pp=16"]
LLAMA = ["spec=examples/workloads/llama-3.1-405b-16384.yaml",
         "cluster=examples/clusters/llama3-16384.yaml"]


class Runner:
    def __init__(self, program):
        self.program = program

    def __call__(self, *words):
        done = subprocess.run([self.program, *words], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"run_scale: scale {' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def cost(run):
    return run["make_cpu_s"] + run["simulate_cpu_s"]


def number(value):
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def row(table, name, run, reference=None):
    table.append([name, f"{run['ranks']:,}", f"{run['representatives']:,}", number(run["messages"]),
                  f"{cost(run):.3f}", f"{run['peak_mb']:.0f}",
                  f"{reference[0]:g} / {reference[1]}" if reference else ""])
    print("  ".join(table[-1]), flush=True)


def reference_series(run, table, lines, quick):
    for chunks in (1, 4, 64):
        for ranks, shape in SHAPES.items():
            known = REFERENCE.get((chunks, ranks))
            words = ["all_reduce", f"shape={shape}", f"chunks={chunks}"]
            folded = run(*words, "rules=orrery")
            name = f"all-reduce 1 GiB, {chunks} chunk{'s' if chunks > 1 else ''}"
            row(table, f"{name}, folded", folded, known)
            if chunks == 1:
                lines["all-reduce, folded"].append((ranks, cost(folded)))
            if known is None or (quick and ranks > 1024):
                continue
            if ranks <= 4096:
                whole = run(*words, "rules=orrery", "fold=0", "forms=0")
                if whole["summary"] != folded["summary"]:
                    sys.exit(f"run_scale: {name} on {ranks} ranks: folded and unfolded results differ")
            whole = run(*words, "fold=0")
            row(table, f"{name}, every message, ASTRA rules", whole, known)
            if chunks == 1:
                lines["ASTRA-sim, all-reduce"].append((ranks, known[0]))
                lines["all-reduce, every message"].append((ranks, cost(whole)))


def jobs(run, table, lines, quick):
    for dp in (8, 16, 64, 256, 512, 1024):
        one = run("job", *GPT3, f"parallel.dp={dp}", f"last={16 * dp}", f"batch.global={96 * dp}")
        row(table, "GPT-3 175B step, TP 8, PP 16, folded", one)
        lines["GPT-3 step, folded"].append((one["ranks"], cost(one)))
    folded = run("job", *LLAMA)
    row(table, "Llama 3.1 405B step, folded", folded)
    if quick:
        return
    for name, words in (("closed forms", []), ("every message", ["forms=0"])):
        whole = run("job", *LLAMA, "fold=0", *words)
        if whole["summary"] != folded["summary"]:
            sys.exit(f"run_scale: Llama 3.1 405B, every rank, {name}: result differs from the folded run")
        row(table, f"Llama 3.1 405B step, every rank, {name}", whole)
    for dp in (8, 16, 32):
        one = run("job", *GPT3, f"parallel.dp={dp}", f"last={16 * dp}", f"batch.global={96 * dp}",
                  "fold=0")
        row(table, "GPT-3 175B step, every rank", one)
        lines["GPT-3 step, every rank"].append((one["ranks"], cost(one)))


def drifting(run, table, lines, quick):
    for ranks in (1024, 4096, 16384) if quick else (1024, 4096, 16384, 65536):
        one = run("drifting", f"ranks={ranks}")
        row(table, "desynchronized, 32 messages each", one, (26, 5760) if ranks == 4096 else None)
        lines["desynchronized messages"].append((ranks, cost(one)))


def write_table(path, table):
    head = ["case", "ranks", "simulated", "messages", "CPU s", "peak MB", "ASTRA-sim: CPU s / MB"]
    rows = [head, ["---"] + ["--:"] * 6] + table
    text = "".join("| " + " | ".join(cells) + " |\n" for cells in rows)
    pathlib.Path(path).write_text(text)


COLORS = ["#b2182b", "#ef8a62", "#2166ac", "#1b7837", "#7fbf7b", "#762a83"]


def write_picture(path, lines):
    """Cost against size, both logarithmic."""
    width, height, left, top, right, bottom = 760, 460, 70, 20, 20, 50
    x_low, x_high, y_low, y_high = 1.5, 6.2, -4.2, 2.2
    x = lambda v: left + (math.log10(v) - x_low) / (x_high - x_low) * (width - left - right)
    y = lambda v: height - bottom - (math.log10(max(v, 10**y_low)) - y_low) / (y_high - y_low) * (
        height - top - bottom)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 20 + 20 * ((len(lines) + 1) // 2)}" '
           'font-family="sans-serif" font-size="13">', '<rect width="100%" height="100%" fill="white"/>']
    for power in range(2, 7):
        at = x(10**power)
        out.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{at:.1f}" y="{height - bottom + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(-4, 3):
        at = y(10.0**power)
        label = f"{10.0**power:.4f}".rstrip("0").rstrip(".")
        out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{width - right}" y2="{at:.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    out.append(f'<text x="{(left + width) / 2}" y="{height - 10}" text-anchor="middle">accelerators</text>'
               f'<text x="16" y="{height / 2}" text-anchor="middle" '
               f'transform="rotate(-90 16 {height / 2})">CPU seconds</text>')
    for i, (name, points) in enumerate(lines.items()):
        color = COLORS[i % len(COLORS)]
        text = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        out.append(f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{color}"/>' for a, b in points]
        lx, ly = left + (i % 2) * 340, height + 12 + 20 * (i // 2)
        out.append(f'<line x1="{lx}" y1="{ly - 4}" x2="{lx + 24}" y2="{ly - 4}" stroke="{color}" stroke-width="3"/>'
                   f'<text x="{lx + 30}" y="{ly}">{name}</text>')
    pathlib.Path(path).write_text("\n".join(out) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="skip the longest runs")
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--table")
    parser.add_argument("--picture")
    options = parser.parse_args()
    program = options.build.resolve() / "benchmarks/scale"
    if not program.exists():
        sys.exit(f"run_scale: {program}: not found; run ./check perf first")
    table = []
    lines = {name: [] for name in ("ASTRA-sim, all-reduce", "all-reduce, every message",
                                   "all-reduce, folded", "GPT-3 step, every rank",
                                   "GPT-3 step, folded", "desynchronized messages")}
    run = Runner(program)
    reference_series(run, table, lines, options.quick)
    jobs(run, table, lines, options.quick)
    drifting(run, table, lines, options.quick)
    if options.table:
        write_table(options.table, table)
    if options.picture:
        write_picture(options.picture, {name: line for name, line in lines.items() if line})


if __name__ == "__main__":
    main()
