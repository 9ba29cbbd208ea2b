#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static batches of requests, predicted kernel by kernel, beside measured ones.

  static_batches.py [--program orrery] [--json] [TABLE.csv ...]

All requests start together: one pass over all prompts, then a pass over one token of each request for every further token.
A pass is the kernels of a decoder's layers (`orrery kernels`), the all-reduces of its tensor parallel ranks by NCCL's
measured curves, and the gap between kernels that a training step has (both of `orrery run`). Nothing is fitted to these
points. Left out: sampling, the gather of logits, the server's own work between passes.
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

TABLE = pathlib.Path(__file__).resolve().parent.parent / "data" / "measured" / "serving" / "pipeweave.csv"
PARTS = ("prefill_s", "decode_step_s", "total_s")
NUMBERS = ("tp", "layers", "hidden", "ffn", "heads", "kv_heads", "head", "vocab", "output", *PARTS)
BYTES = 2  # bf16


@functools.lru_cache(maxsize=None)
def asked(program, *words):
    done = subprocess.run([program, *words, "--json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"static_batches: {program} {' '.join(words)}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)["result"]


def kernel_s(program, device, words):
    models = asked(program, "kernels", *words.split(), "--dtype", "bf16", "--device", device)["devices"][0]["models"]
    return next(model["time_ps"] for model in models if model["taken"]) * 1e-12


def gap_s(program):
    """Between kernels of a training step; the same on every device."""
    return asked(program, "run", "--model", "llama-3.1-8b", "--set", "model.layers=1", "--cluster", "h100-sxm:1")["in_step"]["gap_ps"] * 1e-12


def step_of(program, row, tokens):
    """A step of one such layer over so many tokens, for its all-reduces."""
    sets = {"model.layers": 1, "model.hidden": row["hidden"], "model.heads": row["heads"], "model.kv_heads": row["kv_heads"],
            "model.ffn": row["ffn"], "model.vocab": 32000, "batch.global": 1, "batch.micro": 1, "batch.seq": tokens}
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    return asked(program, "run", *words, "--tp", str(row["tp"]), "--cluster", f"{row['device']}:{row['tp']}")


def all_reduce_s(program, row, tokens):
    if row["tp"] == 1:
        return 0.0
    size = tokens * row["hidden"] * BYTES
    return next(told["time_ps"] for told in step_of(program, row, tokens)["library_collectives"]
                if told["type"] == "all_reduce" and told["bytes"] == size) * 1e-12


def layer_of(row, tokens, attention):
    """Kernels of one layer: norms with the residual in one kernel (as many bytes as a norm of twice the rows)."""
    heads, kv_heads, ffn, hidden, head = row["heads"] // row["tp"], row["kv_heads"] // row["tp"], row["ffn"] // row["tp"], \
        row["hidden"], row["head"]
    turned = tokens * (heads + kv_heads)
    norm = f"rms_norm {2 * tokens} {hidden}"
    bias = " bias" if "qkv_bias" in row["traits"] else ""
    kernels = [norm, f"gemm {tokens} {(heads + 2 * kv_heads) * head} {hidden}{bias}"]
    if "qk_norm" in row["traits"]:
        kernels += [f"rms_norm {tokens * heads} {head}", f"rms_norm {tokens * kv_heads} {head}"]
    return kernels + [f"rotary {turned * head} {head}", f"copy {2 * tokens * kv_heads * head} {head}",
                      f"attention heads={heads} kv_heads={kv_heads} key_dim={head} value_dim={head} {attention}",
                      f"gemm {tokens} {hidden} {heads * head}", norm, f"gemm {tokens} {2 * ffn} {hidden}",
                      f"activation {tokens * ffn} {ffn} gated", f"gemm {tokens} {hidden} {ffn}"]


def pass_s(program, row, tokens, requests, attention):
    """Seconds of a pass over so many tokens of so many requests."""
    head = [f"embedding {tokens} {row['vocab']} {row['hidden']}", f"rms_norm {2 * tokens} {row['hidden']}",
            f"gemm {requests} {row['vocab'] // row['tp']} {row['hidden']}"]
    counts = collections.Counter(head)
    for kernel in layer_of(row, tokens, attention):
        counts[kernel] += row["layers"]
    times = {kernel: count * kernel_s(program, row["device"], kernel) for kernel, count in counts.items()}
    reduces = 2 * row["layers"] + 1
    return sum(times.values()) + counts.total() * gap_s(program) + reduces * all_reduce_s(program, row, tokens)


def predicted(program, row):
    prompts = list(map(int, row["prompts"].split()))
    requests, tokens = len(prompts), sum(prompts)
    # One kernel over sequences of different lengths: as many of one length, with as many FLOPs; with as many keys.
    length = round(math.sqrt(statistics.mean(prompt * prompt for prompt in prompts)))
    keys = round(tokens / requests + row["output"] / 2)
    prefill = pass_s(program, row, tokens, requests, f"batch={requests} queries={length} keys={length} causal")
    decode = pass_s(program, row, requests, requests, f"batch={requests} queries=1 keys={keys}")
    return dict(zip(PARTS, (prefill, decode, prefill + (row["output"] - 1) * decode)))


def figures(name, rows):
    cells = [name, str(len(rows))]
    for part in PARTS:
        off = sorted(row["told"][part] / row[part] - 1 for row in rows)
        sizes = sorted(map(abs, off))
        ninety = sizes[math.ceil(0.9 * len(sizes)) - 1]
        cells += [f"{100 * statistics.median(sizes):.1f} %", f"{100 * ninety:.1f} %", f"{100 * statistics.median(off):+.1f} %"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="orrery")
    parser.add_argument("--json", action="store_true", help="every point, in seconds")
    parser.add_argument("tables", nargs="*", default=[str(TABLE)])
    options = parser.parse_args()
    rows = []
    for table in options.tables:
        with open(table, encoding="utf-8", newline="") as file:
            rows += [{key: int(cell) if key in NUMBERS[:9] else float(cell) if key in PARTS else cell for key, cell in row.items()}
                     for row in csv.DictReader(file)]
    for row in rows:
        row["told"] = predicted(options.program, row)
    if options.json:
        print(json.dumps([{"id": row["id"], **{part: [row[part], row["told"][part]] for part in PARTS}} for row in rows], indent=1))
        return
    print("| points | | prefill: median | 90 % | signed | decode step: median | 90 % | signed | all: median | 90 % | signed |")
    print("|---" * 11 + "|")
    print(figures("all", rows))
    for key in ("device", "model"):
        for name in sorted({row[key] for row in rows}):
            print(figures(name, [row for row in rows if row[key] == name]))


if __name__ == "__main__":
    main()
