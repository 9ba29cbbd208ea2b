#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares predicted times of servers at constant concurrency with AIConfigurator's bundled measurements.

  serving_points.py POINTS.json [--program orrery] [--every N] [--jobs N] [--update]

POINTS.json has the measurements (ai-dynamo/aiconfigurator, commit 095f58a, silicon_sample.csv, Apache-2.0, as JSON). Each
point is one closed loop: as many clients as its concurrency, ten requests a client. The source does not state whether its figures are means or medians.
Three times of servers (docs/serving.md, "The time of a step") were chosen on every sixth point, and two on those of vLLM 0.12.
Points that are not predicted are counted by reason.

--every N: only every Nth point.
--update: writes the tables of docs/serving.md.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "serving.md"
BEGIN, END = "<!-- figures: benchmarks/serving_points.py --update -->", "<!-- end of serving points -->"
MODELS = {"DeepSeek-R1": "deepseek-r1", "DeepSeek-V3": "deepseek-v3", "DeepSeek-R1-NVFP4": "deepseek-r1", "Qwen3-32B": "qwen3-32b",
          "Llama-3.1-70B": "llama-3.1-70b", "gpt-oss-120b": "gpt-oss-120b", "Kimi-K2.5": "kimi-k2",
          "Qwen3-235B-A22B-FP8": "qwen3-235b-a22b",
          "MiniMax-M2.5": str(HERE.parent / "data" / "measured" / "serving" / "minimax-m2.5.yaml")}
DEVICES = {"H100": "h100-sxm", "B200": "b200", "B300": "b300", "GB200": "gb200", "GB300": "gb300"}
FORMATS = {("nvfp4", "nvfp4"): "nvfp4", ("fp8", "fp8"): "fp8", ("fp8", "fp8_block"): "fp8_block",
           ("fp8_block", "fp8_block"): "fp8_block", (None, None): "bf16"}
# Checkpoints whose scales are those of blocks of 128 x 128 weights (quantization_config of their config.json), though the table
# says fp8.
BLOCKS = {"DeepSeek-R1", "DeepSeek-V3", "MiniMax-M2.5"}
LARGEST_NODE = 8
# The usual protocol of InferenceMAX, from which most points come: ten requests a client, and lengths that are uniform between
# 0.8 and 1 times those stated. Its scripts (benchmarks/) set --num-prompts and --random-range-ratio for each model and
# framework, so single points may differ. Means include the first requests, which all arrive at once.
REQUESTS_PER_CLIENT = 10
MEAN_LENGTH, RANGE = 0.9, "0.111"
# Points without a date are AIConfigurator's own runs. Their protocol is not stated. SGLang computes prompts before it decodes, so
# equal requests stay together; its figures agree with equal lengths and not with lengths that vary (time to first token within 14
# and 85 %). Those of the other engines agree with lengths that vary.
EQUAL_LENGTHS = ("sglang",)
# The first release of vLLM that plans a step while one runs by default. InferenceMAX's scripts asked earlier ones to do so.
# Its scripts for SGLang let the scheduler receive requests every 30 decode steps from 16 clients, else every 10.
FIRST_ASYNC_VLLM = (0, 14)


def load_of(point):
    """Lengths and requests of a point, as arguments."""
    serving, clients = point["serving"], point["serving"].get("concurrency") or point["batch"]["micro"]
    own = not point.get("date")
    share, spread = (1, "0") if own and point["framework"] in EQUAL_LENGTHS else (MEAN_LENGTH, RANGE)
    words = ["--input-len", str(round(share * serving["isl"])), "--output-len", str(round(share * serving["osl"])),
             "--random-range-ratio", spread, "--max-concurrency", str(clients), "--num-prompts", str(clients * REQUESTS_PER_CLIENT)]
    version = re.match(r"(\d+)\.(\d+)", point.get("framework_version") or "")
    old = version and (int(version[1]), int(version[2])) < FIRST_ASYNC_VLLM
    if not own and point["framework"] == "sglang":
        words += ["--scheduler-recv-interval", "30" if clients >= 16 else "10"]
    return words + (["--no-async-scheduling"] if own and old and point["framework"] == "vllm" else [])


def plan_of(point):
    """The arguments of a point, or why it is not predicted."""
    serving, par = point["serving"], point.get("par") or {}
    model = MODELS.get(point["model"]["name"].split("/")[-1])
    clients = serving.get("concurrency") or (point.get("batch") or {}).get("micro")
    form = FORMATS.get((serving.get("gemm"), serving.get("moe")))
    if form == "fp8" and point["model"]["name"].split("/")[-1] in BLOCKS:
        form = "fp8_block"
    tp, experts = par.get("tp") or 1, serving.get("moe_ep") or 1
    if serving["mode"] != "agg":
        return None, "separate servers for prompts and decoding"
    if (serving.get("attention_dp") or 1) > 1:
        return None, "data-parallel attention"
    if form is None:
        return None, "weights of 4-bit integers"
    if (par.get("pp") or 1) > 1 or tp > LARGEST_NODE:
        return None, "more than 8 devices, or stages"
    if experts not in (1, tp):
        return None, "experts split in two ways"
    if model is None or not clients:
        return None, "model or concurrency not stated"
    words = ["--model", model, "--gpu", DEVICES[point["hw"]["gpu"]], "--engine", point["framework"], "--tp", str(tp),
             "--quantization", form, *load_of(point)]
    return words + (["--enable-expert-parallel"] if experts > 1 else []), None


def predict(job):
    program, point, words = job
    done = subprocess.run([program, "infer", *words, "--json", "-q"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return point, None, done.stderr.splitlines()[0] if done.stderr else "error"
    return point, json.loads(done.stdout)["result"], None


def row_of(name, rows):
    cells = [name, str(len(rows))]
    for part in ("tpot", "ttft"):
        signed = [row[part] for row in rows if part in row]
        if not signed:
            cells += ["", "", ""]
            continue
        sizes = sorted(map(abs, signed))
        cells += [f"{100 * statistics.median(sizes):.1f} %", f"{100 * sizes[math.ceil(0.9 * len(sizes)) - 1]:.1f} %",
                  f"{100 * statistics.median(signed):+.1f} %"]
    return "| " + " | ".join(cells) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("points", type=pathlib.Path)
    parser.add_argument("--program", default=str(HERE.parent / "build" / "release" / "apps" / "orrery" / "orrery"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    points = json.loads(options.points.read_text(encoding="utf-8"))["points"][::options.every]
    reasons, jobs, rows = collections.Counter(), [], []
    for point in points:
        words, reason = plan_of(point)
        if reason:
            reasons[reason] += 1
        else:
            jobs.append((options.program, point, words))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for point, answer, error in pool.map(predict, jobs):
            if error:
                reasons["does not fit, or another error"] += 1
                print(f"serving_points: {point['id']}: {error}", file=sys.stderr)
                continue
            row = {"gpu": point["hw"]["gpu"], "framework": point["framework"], "model": point["model"]["name"].split("/")[-1],
                   "precision": point.get("precision") or "bf16"}
            for part in ("tpot", "ttft"):
                if point["measured"].get(f"{part}_ms"):
                    row[part] = answer[part]["mean_s"] * 1e3 / point["measured"][f"{part}_ms"] - 1
            rows.append(row)
    text = "| group | points | TPOT: median | 90 % | signed | TTFT: median | 90 % | signed |\n" + "|---" * 8 + "|\n" + row_of("all", rows)
    for key in ("gpu", "framework", "model", "precision"):
        for name in sorted({row[key] for row in rows}):
            text += row_of(name, [row for row in rows if row[key] == name])
    text += "\n| not predicted | points |\n|---|---|\n" + "".join(f"| {name} | {count} |\n" for name, count in sorted(reasons.items()))
    print(text)
    if options.update:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
