#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the times of a serving engine's experts to tables of measured kernels.

  fit_experts.py TABLES [--update]

TABLES has AIConfigurator's tables moe_DEVICE_ENGINE.csv.gz (repository ai-dynamo/aiconfigurator, Apache-2.0): the time of
everything between the router's scores and the sum of the experts, on one device. Of several programs for a shape, the
engine is taken to run the fastest. A time is a sum of these terms, none of which is negative:

  fixed + weights read + operations + tokens read and written + copies read and written + chosen experts

Prints the median error of each fit, and that on models which the fit leaves out, one at a time. --update writes
data/serving/experts.csv.

Needs NumPy.
"""
import argparse
import collections
import csv
import gzip
import pathlib
import sys

import numpy

DATA = pathlib.Path(__file__).resolve().parent.parent / "data" / "serving" / "experts.csv"
DEVICES = {"h100_sxm": "h100-sxm", "b200_sxm": "b200", "b300_sxm": "b300", "gb200": "gb200", "gb300": "gb300"}
ENGINES = ("sglang", "trtllm", "vllm")
# The format of a table, and bytes of a weight with its scales. Hopper has no products of 4 bits: weights in MXFP4 are
# expanded to 16 bits, and stand for any format of 4 bits.
FORMATS = {"bfloat16": ("bf16", 2), "fp8": ("fp8", 1), "fp8_block": ("fp8_block", 1 + 4 / 128 ** 2), "nvfp4": ("nvfp4", 0.5 + 1 / 16),
           "w4a16_mxfp4": ("nvfp4", 0.5 + 1 / 32)}
MOST_TOKENS = 16384
COLUMNS = ("fixed_us", "us_per_weight_mb", "us_per_gflop", "us_per_token_mb", "us_per_copy_mb", "us_per_expert")


def read(folder, device, engine):
    """The fastest time of each shape: {(format, tokens, hidden, inner, top_k, experts, tp, ep, distribution): us}."""
    best = {}
    # Tables of TensorRT-LLM on B300 and GB300 lack its generated kernels for fp4, which SGLang's have.
    borrowed = engine == "trtllm" and device in ("b300_sxm", "gb300")
    for source in (engine, "sglang") if borrowed else (engine,):
        with gzip.open(folder / f"moe_{device}_{source}.csv.gz", "rt", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                form = row["dtype"]
                if form not in FORMATS or (form == "w4a16_mxfp4") != (device == "h100_sxm" and FORMATS[form][0] == "nvfp4"):
                    continue
                if "nongated" in row["kernel"] or int(row["tokens"]) > MOST_TOKENS:
                    continue
                if borrowed and (source == "sglang") != (form == "nvfp4"):
                    continue
                # CUTLASS needs up to twice the time of the generated kernels, which serve few tokens.
                if engine == "trtllm" and form == "nvfp4" and "cutlass" in row["kernel"]:
                    continue
                key = (form, *(int(row[name]) for name in ("tokens", "hidden", "moe_ffn", "topk", "experts", "tp", "ep")),
                       row["distribution"])
                best[key] = min(best.get(key, float("inf")), float(row["latency_us"]))
    return best


def terms(key):
    form, tokens, hidden, inner, top_k, experts, tp, ep, _ = key
    part, copies = inner / tp, tokens * top_k / ep
    chosen = experts / ep * (1 - (1 - top_k / experts) ** tokens)
    return (1, chosen * 3 * hidden * part * FORMATS[form][1] / 1e6, copies * 6 * hidden * part / 1e9, tokens * hidden * 4 / 1e6,
            copies * (hidden * 2 + 3 * part * 2) / 1e6, chosen)


def fit(rows, times):
    """Coefficients that are not negative, with the least sum of relative errors (iteratively reweighted least squares)."""
    rows, wanted = rows / times[:, None], numpy.ones(len(times))
    scale = numpy.maximum(rows.mean(0) + rows.std(0), 1e-30)
    rows = rows / scale
    weights, found = numpy.ones(len(times)), numpy.full(rows.shape[1], 0.1)
    for _ in range(60):
        square, linear = rows.T @ (weights[:, None] * rows), rows.T @ (weights * wanted)
        for _ in range(400):
            for i in range(len(found)):
                found[i] = max(0.0, found[i] + (linear[i] - square[i] @ found) / max(square[i, i], 1e-30))
        weights = 1 / numpy.maximum(numpy.abs(rows @ found - wanted), 0.02)
    return found / scale


def errors(found, rows, times):
    return numpy.abs(numpy.log(numpy.maximum(rows @ found, 1e-9) / times))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    out = ["device,engine,format," + ",".join(COLUMNS)]
    for device, name in DEVICES.items():
        for engine in ENGINES:
            by_format = collections.defaultdict(list)
            for key, time in sorted(read(options.tables, device, engine).items()):
                by_format[key[0]].append((key, time))
            for form, found in sorted(by_format.items()):
                rows, times = numpy.array([terms(key) for key, _ in found]), numpy.array([time for _, time in found])
                models = [key[2:6] for key, _ in found]
                best = fit(rows, times)
                left_out = []
                for model in sorted(set(models)):
                    inside = numpy.array([one != model for one in models])
                    if inside.any():
                        left_out.extend(errors(fit(rows[inside], times[inside]), rows[~inside], times[~inside]))
                own = errors(best, rows, times)
                few = own[numpy.array([key[1] <= 256 for key, _ in found])]
                print(f"{name:9} {engine:7} {FORMATS[form][0]:9} {len(times):6} rows of {len(set(models)):2} models: median error"
                      f" {100 * numpy.median(own):.1f} %, up to 256 tokens {100 * numpy.median(few):.1f} %, models left out"
                      f" {100 * numpy.median(left_out):.1f} %", flush=True)
                out.append(",".join([name, engine, FORMATS[form][0]] + [f"{value:.4g}" for value in best]))
    if options.update:
        DATA.write_text("\n".join(out) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
