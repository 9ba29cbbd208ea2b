# SPDX-License-Identifier: Apache-2.0
#
# How ./check and the scripts of packages print. Sourced.

say() {
  printf 'check: %s\n' "$1" >&2
}

die() {
  printf 'check: %s\n' "$1" >&2
  exit "${2:-1}"
}

# Runs a command; its output goes to a log and is printed, less the steps that went well, only when it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null || { grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2; die "failed: $*"; }
}
