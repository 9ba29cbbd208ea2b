#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures the generation of workloads from a specification on one core: CPU seconds (user + system), peak memory, nodes
# per CPU second. The job is LLaMA-3.1 70B with 80 layers, 64 microbatches and 8 stages. `generate` writes the traces of
# every rank to disk, `count` writes nothing.
#
# Usage: benchmarks/run_generate.sh [BUILD_FOLDER] [RUNS] [FOLDER]     (default: build/release 3 /tmp)
#
# FOLDER needs 5 GB while the script runs. The last line shows the figures of STAGE (Python) for a smaller job: 80 layers,
# 1 microbatch.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/release}
runs=${2:-3}
program=$build/apps/orrery/orrery
folder=$(mktemp -d "${3:-/tmp}/orrery_generate.XXXXXX")
trap 'rm -rf "$folder"' EXIT

[[ -x $program ]] || {
  printf 'run_generate: no release build in %s; run ./check perf first\n' "$build" >&2
  exit 2
}
pin=()
if taskset -c 0 true 2>/dev/null; then pin=(taskset -c 0); fi

# Arguments: name, command of orrery. The number of nodes is from its JSON, the bytes are those of the written files.
row() {
  local name=$1 log nodes bytes
  shift
  log=$(mktemp)
  for ((i = 0; i < runs; ++i)); do
    rm -rf "$folder/out"
    mkdir "$folder/out"
    /usr/bin/time -a -o "$log" -f '%U %S %M' "${pin[@]}" "$program" "$@" >"$folder/report.json"
  done
  bytes=$(find "$folder/out" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
  # `count` creates no nodes.
  nodes=0
  [[ $1 == count ]] || nodes=$(grep -o '"nodes": *[0-9]*' "$folder/report.json" | head -n 1 | grep -o '[0-9]*')
  awk -v name="$name" -v nodes="$nodes" -v bytes="$bytes" '
    { cpu = $1 + $2; if (NR == 1 || cpu < least) { least = cpu; user = $1 } if ($3 > peak) peak = $3 }
    END { rate = "-"; if (nodes > 0 && least > 0) rate = sprintf("%.1f", nodes / least / 1e6)
          printf "%-34s %8.2f %8.2f %8.0f %10.1f %9.0f %14s\n", name, least, user, peak / 1000, nodes / 1e6,
            bytes / 1e6, rate }' "$log"
  rm -f "$log"
}

job() {
  local dp=$1
  shift
  printf '%s\n' --model llama-3.1-70b --tp 8 --sp --pp 8 --dp "$dp" --micro-batch 1 --global-batch "$((64 * dp))" \
    --seq 8192 --sharding zero1 "$@"
}

printf '%-34s %8s %8s %8s %10s %9s %14s\n' case 'CPU s' 'user s' 'peak MB' 'M nodes' 'MB' 'M nodes/CPU s'
for dp in 1 4 16; do
  mapfile -t words < <(job "$dp")
  row "$((64 * dp)) ranks, traces on disk" generate "${words[@]}" -o "$folder/out/w" --json
done
for dp in 16 2048; do
  mapfile -t words < <(job "$dp")
  row "$((64 * dp)) ranks, counted only" count "${words[@]}" --json
done
printf 'STAGE: 80 layers, 1 microbatch, 128 ranks: 29.9 CPU s, 131 MB, 33 MB of traces\n'
