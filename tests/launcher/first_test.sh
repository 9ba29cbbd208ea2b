#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# first_test.sh PROJECT ORRERY FIRST: checks that the program FIRST has the commands of first_commands.txt, with the output
# of ORRERY.
set -euo pipefail

project=$1
orrery=$2
first=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
failed=0

# same ARGUMENTS...: runs both programs as `orrery`; output and exit status must be equal.
same() {
  local status=0 of_first=0
  (exec -a orrery "$orrery" "$@") >all.out 2>all.err </dev/null || status=$?
  (exec -a orrery "$first" "$@") >first.out 2>first.err </dev/null || of_first=$?
  if ((status != of_first)) || ! cmp all.out first.out || ! cmp all.err first.err; then
    printf '%s: output or exit status differs (%d and %d)\n' "$*" "$status" "$of_first"
    failed=1
  fi
}

wanted=$(sort "$project/apps/orrery/first_commands.txt")
# The commands of a group have two words.
got=$("$first" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | while read -r word; do
  members=$("$first" "$word" --help </dev/null | sed -n "s/^  \($word [a-z-]*\)  .*/\1/p")
  printf '%s\n' "${members:-$word}"
done | sort)
if [[ ! $wanted || $got != "$wanted" ]]; then
  printf 'commands of %s: %s; expected: %s\n' "$first" "$got" "$wanted"
  failed=1
fi

while read -r command; do
  # shellcheck disable=SC2086  # the words of the command
  same $command --help
done <<<"$wanted"
same demo --json -q
same run "$project/examples/step/step" --cluster "$project/examples/clusters/dgx-h100-8.yaml" --json -q
same run "$project/examples/step/step" --cluster "$project/examples/clusters/dgx-h100-8.yaml" -o step.orrery --force -q
same critical-path step.orrery
same explain step.orrery
same compare step.orrery step.orrery
same report step.orrery
same trace info "$project/data/demo/ddp_transformer/rank0.kineto.json.gz"

((failed == 0)) && echo 'all as expected'
exit "$failed"
