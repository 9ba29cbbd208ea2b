#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the all-reduces of serving engines from a table of measurements.

  serving_all_reduces.py TABLE.csv.gz > data/collectives/serving_all_reduce.csv

TABLE has the rows of ai-dynamo/aiconfigurator (commit 095f58a, custom_allreduce_perf.parquet, Apache-2.0) with the columns
gpu, stack, kernel, gpus, bytes and latency_us. Of an engine, the kernels in CUDA graphs are retained, up to 64 MiB.
"""
import csv
import gzip
import sys

DEVICES = {"A100-SXM4-80GB": "a100-80gb", "B200-SXM": "b200", "B300-SXM6": "b300", "GB200": "gb200", "GB300": "gb300",
           "H100-SXM5-80GB": "h100-sxm", "RTX PRO 6000 Blackwell Server": "rtx-pro-6000-server"}
KERNELS = {"vllm": "vLLM_custom_graph", "sglang": "SGLang_CustomAllReduce_graph", "trtllm": "TRTLLM"}
LARGEST = 64 << 20


def main():
    with gzip.open(sys.argv[1], "rt", encoding="utf-8") as table:
        rows = {(DEVICES[row["gpu"]], row["stack"], int(row["gpus"]), int(row["bytes"])): float(row["latency_us"])
                for row in csv.DictReader(table)
                if row["gpu"] in DEVICES and row["kernel"] == KERNELS[row["stack"]] and int(row["bytes"]) <= LARGEST}
    print("device,engine,ranks,bytes,us")
    for key, value in sorted(rows.items()):
        print(*key, f"{value:.4g}", sep=",")


if __name__ == "__main__":
    main()
