#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares predicted static batches of requests with measured ones.

  static_batches.py [--program orrery] [--json | --check | --update] [--compute auto] [TABLE.csv ...]

All requests start together: one pass over all prompts, then one pass over one token of each request per further token.
The time of a pass is the sum of three parts: the kernels of a decoder's layers (`orrery kernels`), the all-reduces of its
tensor-parallel ranks by NCCL's measured curves, and the gaps between kernels of a training step (both from `orrery run`).
Nothing is fitted to these points. Not modeled: sampling, the gather of logits, the work of the server between passes.

--check: exit code 1 if a median error is more than half a point above the value in static_batches.json.
--update: writes static_batches.json and the figures of docs/scoreboard.md.
"""
import argparse
import collections
import csv
import functools
import json
import math
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "data" / "measured" / "serving" / "pipeweave.csv"
PAGE, STORED = HERE.parent / "docs" / "scoreboard.md", HERE / "static_batches.json"
BEGIN, END = "<!-- figures: benchmarks/static_batches.py --update -->", "<!-- end of static batches -->"
PARTS = ("prefill_s", "decode_step_s", "total_s")
NUMBERS = ("tp", "layers", "hidden", "ffn", "heads", "kv_heads", "head", "vocab", "output")
BYTES = 2  # bf16
WORSE = 0.005  # accepted increase of a median error
# Devices without a default network, and a device of the same architecture: the gap depends on the architecture.
GAP_OF = {"a40": "a100-80gb", "rtx-a6000": "a100-80gb"}


@functools.lru_cache(maxsize=None)
def result_of(program, *words):
    done = subprocess.run([program, *words, "--json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"static_batches: {program} {' '.join(words)}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)["result"]


def kernel_s(options, device, words):
    models = result_of(options.program, "kernels", *words.split(), "--dtype", "bf16", "--device", device)["per_device"][0]["models"]
    named = [model for model in models if model["model"] == options.compute]
    return (named or [model for model in models if model["used"]])[0]["time_ns"] * 1e-9


def gap_s(program, device):
    """Seconds between two kernels of a training step."""
    words = ["--model", "llama-3.1-8b", "--set", "model.layers=1", "--cluster", f"{GAP_OF.get(device, device)}:1"]
    return result_of(program, "run", *words)["in_step"]["gap_ns"] * 1e-9


def all_reduce_s(program, row, tokens):
    """Seconds of one all-reduce in a pass over `tokens` tokens, from a training step of one such layer."""
    if row["tp"] == 1:
        return 0.0
    sets = {"model.layers": 1, "model.hidden": row["hidden"], "model.heads": row["heads"], "model.kv_heads": row["kv_heads"],
            "model.ffn": row["ffn"], "model.vocab": 32000, "batch.global": 1, "batch.micro": 1, "batch.seq": tokens}
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    step = result_of(program, "run", *words, "--tp", str(row["tp"]), "--cluster", f"{row['device']}:{row['tp']}")
    size = tokens * row["hidden"] * BYTES
    return next(one["time_ns"] for one in step["library_collectives"]
                if one["type"] == "all_reduce" and one["bytes"] == size) * 1e-9


def layer_of(row, tokens, attention):
    """Kernels of one layer. A norm includes the residual, so it moves the bytes of a norm with twice the rows."""
    heads, kv_heads, ffn = (row[key] // row["tp"] for key in ("heads", "kv_heads", "ffn"))
    hidden, head = row["hidden"], row["head"]
    norm = f"rms_norm {2 * tokens} {hidden}"
    bias = " bias" if "qkv_bias" in row["traits"] else ""
    kernels = [norm, f"gemm {tokens} {(heads + 2 * kv_heads) * head} {hidden}{bias}"]
    if "qk_norm" in row["traits"]:
        kernels += [f"rms_norm {tokens * heads} {head}", f"rms_norm {tokens * kv_heads} {head}"]
    return kernels + [f"rotary {tokens * (heads + kv_heads) * head} {head}", f"copy {2 * tokens * kv_heads * head} {head}",
                      f"attention heads={heads} kv_heads={kv_heads} key_dim={head} value_dim={head} {attention}",
                      f"gemm {tokens} {hidden} {heads * head}", norm, f"gemm {tokens} {2 * ffn} {hidden}",
                      f"activation {tokens * ffn} {ffn} gated", f"gemm {tokens} {hidden} {ffn}"]


def pass_s(options, row, tokens, requests, attention):
    """Seconds of a pass over `tokens` tokens of `requests` requests."""
    counts = collections.Counter([f"embedding {tokens} {row['vocab']} {row['hidden']}", f"rms_norm {2 * tokens} {row['hidden']}",
                                  f"gemm {requests} {row['vocab'] // row['tp']} {row['hidden']}"])
    for kernel in layer_of(row, tokens, attention):
        counts[kernel] += row["layers"]
    kernels = sum(count * kernel_s(options, row["device"], kernel) for kernel, count in counts.items())
    between = sum(counts.values()) * gap_s(options.program, row["device"])
    return kernels + between + (2 * row["layers"] + 1) * all_reduce_s(options.program, row, tokens)


def predicted(options, row):
    prompts = row["prompts"]
    requests, tokens = len(prompts), sum(prompts)
    # Attention over sequences of different lengths is modeled as the same number of sequences of one length: with the same
    # FLOPs in prefill, with the same number of keys in decode.
    length = round(math.sqrt(statistics.mean(prompt * prompt for prompt in prompts)))
    keys = round(tokens / requests + row["output"] / 2)
    prefill = pass_s(options, row, tokens, requests, f"batch={requests} queries={length} keys={length} causal")
    decode = pass_s(options, row, requests, requests, f"batch={requests} queries=1 keys={keys}")
    return dict(zip(PARTS, (prefill, decode, prefill + (row["output"] - 1) * decode)))


def errors_of(rows, part):
    return sorted(row["predicted"][part] / row[part] - 1 for row in rows)


def figures(name, rows):
    cells = [name, str(len(rows))]
    for part in PARTS:
        signed = errors_of(rows, part)
        sizes = sorted(map(abs, signed))
        ninety = sizes[math.ceil(0.9 * len(sizes)) - 1]
        cells += [f"{100 * statistics.median(sizes):.1f} %", f"{100 * ninety:.1f} %", f"{100 * statistics.median(signed):+.1f} %"]
    return "| " + " | ".join(cells) + " |\n"


def table_of(rows):
    text = "| group | points | prefill: median | 90 % | signed | decode step: median | 90 % | signed | total: median | 90 % | signed |\n"
    text += "|---" * 11 + "|\n" + figures("all", rows)
    for key in ("device", "model"):
        for name in sorted({row[key] for row in rows}):
            text += figures(name, [row for row in rows if row[key] == name])
    return text


def check(medians):
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for part in PARTS:
        print(f"static batches, {part:15} {100 * medians[part]:.1f} %, stored {100 * stored[part]:.1f} %")
    return 1 if any(medians[part] > stored[part] + WORSE for part in PARTS) else 0


def update(medians, text):
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    STORED.write_text(json.dumps({part: round(value, 5) for part, value in medians.items()}, indent=1) + "\n", encoding="utf-8")


def cell_of(row, key, place):
    cell = row.get(key) or ""
    try:
        value = [int(word) for word in cell.split()] if key == "prompts" else (float if key in PARTS else int)(cell)
    except ValueError:
        sys.exit(f"static_batches: {place}: {key}: {cell!r} is not a number; write a number above 0")
    if not value or min(value if key == "prompts" else [value]) <= 0:
        sys.exit(f"static_batches: {place}: {key}: {cell!r} is not above 0; write a number above 0")
    return value


def rows_of(table):
    """Rows of a table with numbers converted; exits with an error message if a number is missing."""
    with open(table, encoding="utf-8", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            numbers = {key: cell_of(row, key, f"{table}:{line}") for key in (*NUMBERS, *PARTS, "prompts")}
            if any(numbers[key] % numbers["tp"] for key in ("heads", "kv_heads", "ffn", "vocab")):
                sys.exit(f"static_batches: {table}:{line}: tp {numbers['tp']} must divide heads, kv_heads, ffn and vocab")
            yield {**{key: row.get(key) or "" for key in ("id", "device", "model", "traits")}, **numbers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(HERE.parent / "build" / "release" / "apps" / "orrery" / "orrery"))
    parser.add_argument("--compute", default="auto", help="kernel time model: learned, heuristic or roofline (default: the best available)")
    parser.add_argument("--json", action="store_true", help="print [measured, predicted] seconds of every point")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a median error is worse than the stored one")
    parser.add_argument("--update", action="store_true", help="write docs/scoreboard.md and static_batches.json")
    parser.add_argument("tables", nargs="*", default=[str(TABLE)])
    options = parser.parse_args()
    rows = [row for table in options.tables for row in rows_of(table)]
    for row in rows:
        row["predicted"] = predicted(options, row)
    medians = {part: statistics.median(map(abs, errors_of(rows, part))) for part in PARTS}
    if options.check:
        return check(medians)
    if options.update:
        update(medians, table_of(rows))
    elif options.json:
        print(json.dumps([{"id": row["id"], **{part: [row[part], row["predicted"][part]] for part in PARTS}} for row in rows], indent=1))
    else:
        print(table_of(rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
