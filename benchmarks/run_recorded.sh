#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures linking and converting of large recorded ranks: CPU seconds (user + system) and peak memory by the size of the
# trace. Also measures reading the Kineto trace (inspect) and replaying it. The difference of these two is the time of the
# replay without reading.
#
# Usage: benchmarks/run_recorded.sh TRACE.json[.gz] [BUILD_FOLDER] [COPIES…]     (default: build/release 1 4 10 25 100)
#
# TRACE is a Kineto trace with record-function ids. The input consists of COPIES of it, one after another (tile_trace.py).
# The columns "Python" show the figures of Chakra's linker and converter for the same files, built from HTA's nccl_data
# trace.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
trace=${1:?usage: run_recorded.sh TRACE.json.gz [BUILD_FOLDER] [COPIES…]}
build=${2:-$root/build/release}
shift $(($# < 2 ? $# : 2))
copies=("${@:-1}")
[[ $# -gt 0 ]] || copies=(1 4 10 25 100)
program=$build/apps/orrery/orrery
inputs=$build/benchmarks/recorded
mkdir -p "$inputs"

declare -A python=([1]='4.4 235' [4]='20.8 621' [10]='77.2 1520' [25]='419 3780')

# Prints the minimum CPU seconds of three runs of the program with these arguments.
cpu() {
  local log
  log=$(mktemp)
  for _ in 1 2 3; do /usr/bin/time -a -o "$log" -f '%U %S' "$program" "$@" --threads 1 -q >/dev/null; done
  awk '{ cpu = $1 + $2; if (NR == 1 || cpu < least) least = cpu } END { printf "%.2f", least }' "$log"
  rm -f "$log"
}

printf '%6s %8s %8s %8s %8s %10s %10s %10s %9s\n' copies 'MB in' 'CPU s' 'peak MB' 'nodes' 'Python s' 'Python MB' 'inspect s' 'replay s'
for n in "${copies[@]}"; do
  [[ -e $inputs/x$n.et.json ]] || python3 "$root/benchmarks/tile_trace.py" "$trace" "$n" "$inputs/x$n"
  log=$(mktemp)
  for _ in 1 2 3; do
    /usr/bin/time -a -o "$log" -f '%U %S %M' "$program" trace convert --traces "$inputs/x$n.kineto.json" \
      "$inputs/x$n.et.json" -o "$inputs/x$n" --threads 1 --force --json >"$inputs/x$n.report.json"
  done
  nodes=$(grep -o '"nodes": [0-9]*' "$inputs/x$n.report.json" | tail -n 1 | grep -o '[0-9]*')
  bytes=$(cat "$inputs/x$n.kineto.json" "$inputs/x$n.et.json" | wc -c)
  inspect=$(cpu inspect "$inputs/x$n.kineto.json")
  replay=$(cpu replay "$inputs/x$n.kineto.json")
  awk -v n="$n" -v inspect="$inspect" -v replay="$replay" -v bytes="$bytes" -v nodes="$nodes" -v python="${python[$n]:-- -}" '
    { cpu = $1 + $2; if (NR == 1 || cpu < least) least = cpu; if ($3 > peak) peak = $3 }
    END { split(python, p, " ")
          printf "%6d %8.0f %8.2f %8.0f %8d %10s %10s %10s %9s\n",
                 n, bytes / 1e6, least, peak / 1000, nodes, p[1], p[2], inspect, replay }' "$log"
  rm -f "$log" "$inputs/x$n.0.et"
done
