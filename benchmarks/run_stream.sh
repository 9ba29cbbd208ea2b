#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures a run of 10^8 nodes on 512 different ranks: with all graphs in memory, with limited memory, and with all graphs
# in a file. Prints CPU seconds (user + system) and peak memory on one core.
#
# Usage: benchmarks/run_stream.sh [BUILD_FOLDER] [RANKS] [NODES_PER_RANK] [FOLDER]
#        (default: build/release 512 200000 /tmp)
#
# FOLDER needs 130 bytes per node while the script runs: 13 GB. In memory a node needs about 70 bytes.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/release}
ranks=${2:-512}
nodes=${3:-200000}
program=$build/benchmarks/stream_traces
folder=$(mktemp -d "${4:-/tmp}/orrery_stream.XXXXXX")
trap 'rm -rf "$folder"' EXIT

[[ -x $program ]] || {
  printf 'run_stream: no release build with benchmarks in %s; run ./check perf first\n' "$build" >&2
  exit 2
}
pin=()
if taskset -c 0 true 2>/dev/null; then pin=(taskset -c 0); fi

mkdir "$folder/traces" "$folder/spill"
"$program" write "$folder/traces/w" "$ranks" "$nodes"

# Arguments: name; optional: folder of the file, MB of graphs that may stay in memory.
row() {
  local name=$1 output
  shift
  output=$(/usr/bin/time -o "$folder/time" -f '%U %S %M %e' "${pin[@]}" "$program" run "$folder/traces/w" "$@")
  awk -v name="$name" -v output="$output" '
    { split(output, word, " ")
      printf "%-26s %10.1f %9.1f %8.1f %9.0f %12.0f %22s\n", name, word[4] / 1e6, $1 + $2, $4, $3 / 1000,
        word[8] / 1e6, word[10] }' "$folder/time"
}

printf '%-26s %10s %9s %8s %9s %12s %22s\n' graphs 'M nodes' 'CPU s' 'real s' 'peak MB' 'MB in a file' 'end of the run (ps)'
row 'in memory'
row '1 GB, then in a file' "$folder/spill" 1024
row 'in a file' "$folder/spill" 0
