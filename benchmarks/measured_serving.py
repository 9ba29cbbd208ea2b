#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts published measurements of static batches into a table for static_batches.py.

  measured_serving.py inference_pipeweave.json > data/measured/serving/pipeweave.csv
"""
import csv
import json
import sys

DEVICES = {"A100": "a100-80gb", "A40": "a40", "H100": "h100-sxm", "H20": "h20", "H800": "h800", "RTX A6000": "rtx-a6000",
           "RTX PRO 6000 S": "rtx-pro-6000-server"}
HEAD = 128  # features per head of all three models, from their configurations at Hugging Face
TRAITS = {"Llama-3.1-70B": "", "Qwen2.5-14B": "qkv_bias", "Qwen3-32B": "qk_norm"}


def row_of(point, workloads):
    model, serving, measured = point["model"], point["serving"], point["measured"]
    prompts = [prompt for prompt, _ in workloads[serving["workload"]]]
    return {"id": point["id"], "device": DEVICES[point["hw"]["gpu"]], "tp": point["par"]["tp"], "model": model["name"],
            "layers": model["layers"], "hidden": model["hidden"], "ffn": model["ffn"], "heads": model["heads"],
            "kv_heads": model["kv_heads"], "head": HEAD, "vocab": model["vocab"], "traits": TRAITS[model["name"]],
            "output": serving["output_len"], "prefill_s": measured["prefill_s"], "decode_step_s": measured["decode_step_s"],
            "total_s": measured["total_s"], "prompts": " ".join(map(str, prompts))}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        published = json.load(file)
    rows = [row_of(point, published["source"]["workloads"]) for point in published["points"]]
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


if __name__ == "__main__":
    main()
