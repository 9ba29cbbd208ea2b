#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures the figures of docs/gallery.md: every job of examples/workloads on its cluster, with every rank and every
# message.
#
# Usage: benchmarks/run_gallery.sh [BUILD_FOLDER]     (default: build/release; needs 4 GB of memory and some minutes)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${1:-$root/build/release}/apps/orrery/orrery
[[ -x $program ]] || {
  printf 'run_gallery: no release build; run ./check perf first\n' >&2
  exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

job() {
  local spec=$root/examples/workloads/$1.yaml cluster=$root/examples/clusters/$2.yaml
  /usr/bin/time -o "$folder/time" -f '%U %S %M' "$program" run --spec "$spec" --cluster "$cluster" --json \
    >"$folder/run.json"
  "$program" job count "$spec" --json >"$folder/count.json"
  "$program" memory "$spec" --cluster "$cluster" --json >"$folder/memory.json" || true
  python3 - "$folder" "$1" <<'PYTHON'
import json, sys
folder, name = sys.argv[1:]
run = json.load(open(f"{folder}/run.json"))["result"]
count = json.load(open(f"{folder}/count.json"))["result"]
memory = json.load(open(f"{folder}/memory.json"))["result"]
user, system, peak = open(f"{folder}/time").read().split()
step = run["step_ns"] * 1e-9
part = run["breakdown"]
rate = float(count["flop_by_source"]["model_flop"]) / count["ranks"] / step
share = lambda key: part[key] * 1e-9 / step
print(f"{name:26} step {step:.4g} s, {rate * 1e-12:.4g} TFLOP/s per device, "
      f"compute {share('compute_ns'):.1%}, exposed {share('exposed_comm_ns'):.1%}, "
      f"idle {share('idle_ns'):.1%}, memory {memory['peak_bytes'] * 1e-9:.4g} GB; "
      f"{float(count['nodes']):.4g} nodes in {float(user) + float(system):.1f} CPU s, {int(peak) / 1024:.0f} MB")
PYTHON
}

job dlrm-8 dgx-a100-8
job vit-h-14-64 dgx-a100-64
job mixtral-8x7b-64 dgx-h100-64
job gpt3-175b-1024 selene-1024
job deepseek-v3-2048 h800-2048
job llama-3.1-405b-16384 llama3-16384
