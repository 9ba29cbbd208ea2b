#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures complete commands on one core: CPU seconds (user + system) and peak memory, the minimum of several runs. Also
# prints the figures of the reference simulator for the same inputs on an idle machine.
#
# Usage: benchmarks/run_commands.sh [BUILD_FOLDER] [RUNS]     (default: build/release 5)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/release}
runs=${2:-5}
program=$build/apps/orrery/orrery
inputs=$build/benchmarks/inputs

[[ -x $program && -x $build/benchmarks/make_inputs ]] || {
  printf 'run_commands: no release build with benchmarks in %s; run ./check perf first\n' "$build" >&2
  exit 2
}
[[ -e $inputs/million/million.et && -e $inputs/steps_1024/workload/wl.1023.et ]] || "$build/benchmarks/make_inputs" "$inputs"

pin=()
if taskset -c 0 true 2>/dev/null; then pin=(taskset -c 0); fi

# Prints the minimum CPU seconds of several runs of a command, and its peak memory in MB.
least() {
  local log TIMEFORMAT='%3U %3S'
  log=$(mktemp)
  for ((i = 0; i < runs; ++i)); do
    { time "${pin[@]}" "$@" >/dev/null 2>&1; } 2>>"$log" || { rm -f "$log"; return 1; }
  done
  "${pin[@]}" /usr/bin/time -a -o "$log" -f '%M peak' "$@" >/dev/null
  awk '$2 == "peak" { peak = $1 / 1000; next }
       { cpu = $1 + $2; if (NR == 1 || cpu < least) least = cpu }
       END { printf "%.3f %.0f", least, peak }' "$log"
  rm -f "$log"
}

# Arguments: name, CPU seconds and MB of the reference (- if unknown), command.
row() {
  local name=$1 cpu=$2 mb=$3 ours
  shift 3
  ours=$(least "$@") || { printf '%-34s failed: %s\n' "$name" "$*"; return; }
  awk -v name="$name" -v ours="$ours" -v cpu="$cpu" -v mb="$mb" 'BEGIN {
    split(ours, o, " ")
    printf "%-34s %8.3f %8.0f %9s %9s %7s %7s\n", name, o[1], o[2], cpu, mb,
      cpu == "-" ? "-" : sprintf("%.0fx", cpu / o[1]), mb == "-" ? "-" : sprintf("%.1fx", mb / o[2]) }'
}

simulate() {
  local folder=$inputs/$4
  row "$1" "$2" "$3" "$program" run "$folder/workload/wl" --fold off --astra-network "$folder/network.yml" \
    --astra-system "$folder/system.json" --astra-memory "$folder/memory.json"
}

printf '%-34s %8s %8s %9s %9s %7s %7s\n' case 'CPU s' 'peak MB' 'ref CPU s' 'ref MB' faster smaller
simulate '3D all-reduce 1 GB, 4,096 NPUs' 1.45 200 rfs_4096_1
simulate '  the same in 4 chunks' - - rfs_4096_4
simulate '3D all-reduce 1 GB, 16,384 NPUs' 22.7 1090 rfs_16384_1
simulate '  the same in 4 chunks' 64.1 1940 rfs_16384_4
simulate 'ring all-reduce 64 MB, 1,024 NPUs' 10.3 365 ring_1024_4
simulate 'drifting 4,096 x 32 messages' 26.3 5900 drifting_4096_32
for ranks in 64 1024; do
  steps=("$inputs/steps_$ranks/workload/wl" --astra-network "$inputs/steps_$ranks/network.yml"
    --astra-system "$inputs/steps_$ranks/system.json" --astra-memory "$inputs/steps_$ranks/memory.json" --quiet)
  row "1 M nodes on $ranks ranks" - - "$program" run "${steps[@]}"
  row '  the same, with a run file' - - "$program" run "${steps[@]}" -o "$inputs/steps.orrery" --force
done
row 'reading a trace of 1 M nodes' - - "$program" trace info "$inputs/million/million.et"
printf 'size of the trace: %d MB\n' "$(($(stat -c %s "$inputs/million/million.et") / 1000000))"
