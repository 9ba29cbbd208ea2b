#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds separate programs with the installed tree only, and compares their output with the command line.
# Usage: installed_test.sh SOURCE BUILD. With ORRERY_TEST_EFFORT=full it builds all examples, else three: the C interface,
# the C++ headers, the static libraries.
set -euo pipefail
source="$1" build="$2"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { echo "installed_test: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$folder/prefix" > "$folder/install.txt"
cp -r "$source/examples/library" "$folder/library"
options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$folder/prefix")
# The program needs the compiler and the sanitizers of the libraries.
for key in CMAKE_CXX_COMPILER:FILEPATH CMAKE_CXX_COMPILER:STRING ORRERY_SANITIZE:STRING; do
  value="$(sed -n "s|^$key=||p" "$build/CMakeCache.txt")"
  [[ -n "$value" ]] || continue
  case "$key" in
    ORRERY_SANITIZE*) options+=("-DCMAKE_CXX_FLAGS=-fsanitize=$value") ;;
    *) options+=("-DCMAKE_CXX_COMPILER=$value") ;;
  esac
done
cmake -S "$folder/library" -B "$folder/build" "${options[@]}" > "$folder/configure.txt" 2>&1 ||
  { cat "$folder/configure.txt"; fail "cmake does not find the installed package"; }
quick=(simulate columns step_time)
targets=("${quick[@]}")
[[ "${ORRERY_TEST_EFFORT:-}" != full ]] || targets=(all)
cmake --build "$folder/build" --target "${targets[@]}" > "$folder/build.txt" 2>&1 ||
  { cat "$folder/build.txt"; fail "the programs do not build"; }
if grep -rqF "$source" "$folder/prefix/lib/cmake" "$folder/prefix/include"; then
  fail "installed files contain the path of the source folder"
fi

cd "$folder"
program="$folder/prefix/bin/orrery"
prints() {  # EXAMPLE WORDS…: runs it, and looks for the words in what it prints.
  local example="$1" word
  shift
  [[ "${targets[*]}" == all || " ${quick[*]} " == *" $example "* ]] || return 0
  "$folder/build/$example" "${arguments[@]}" > "$example.txt" 2>&1 || { cat "$example.txt"; fail "$example fails"; }
  for word in "$@"; do
    grep -qF -- "$word" "$example.txt" || { cat "$example.txt"; fail "$example does not print '$word'"; }
  done
}
arguments=()
prints simulate 'step time'
"$program" run --model llama-3.1-8b --tp 4 --global-batch 64 --cluster h100-sxm:64 --color never -q > command.txt
diff command.txt simulate.txt || fail 'the library prints something else than the command line'
prints workloads 'tp 1: does not fit' 'tp 8: fits'
prints results 'tp4.orrery' 'tp8.orrery'
prints whatif 'gpu=h200-sxm'
prints search 'tp'
prints kernels 'bound'
prints columns 'rank 7: idle'
arguments=("$source"/data/demo/ddp_transformer/*.json.gz); prints traces 'operators, own time'
arguments=("$source/examples/fabrics/fat-tree-64.yaml"); prints clusters '64'
arguments=("$source/data/measured/core/megatron_korthikanti2022.csv"); prints accuracy 'median'
library="$(find "$folder/prefix" -name liborrery.so)"
[[ -n "$library" ]] || fail 'there is no liborrery.so'
if nm -D --defined-only "$library" | grep -vE ' orrery_[a-z_]+$'; then fail 'the library exports these other names'; fi

# Without CMake, and in C alone.
export PKG_CONFIG_PATH="$(dirname "$library")/pkgconfig" LD_LIBRARY_PATH="$(dirname "$library")"
if command -v pkg-config > pkg-config.txt && [[ "${options[*]}" != *fsanitize* ]]; then
  # shellcheck disable=SC2046 # options are words
  cc -std=c11 -Wall -Wextra -Werror "$source/examples/library/columns.c" $(pkg-config --cflags --libs orrery) -o columns
  ./columns | diff - columns.txt || fail 'a program that pkg-config helped to build prints something else'
fi

"$folder/build/step_time" > "$folder/output.txt"
[[ "$(wc -l < "$folder/output.txt")" == 4 ]] || { cat "$folder/output.txt"; fail "four lines were expected"; }
step="$("$program" run --model llama-3.1-8b --tp 4 --global-batch 64 --cluster h100-sxm:64 --json -q |
        sed -n 's/.*"step_ns": *\([0-9.]*\).*/\1/p' | head -n 1)"
grep -qx "tp 4: $(printf '%.1f' "${step}e-6") ms" "$folder/output.txt" ||
  { cat "$folder/output.txt"; fail "the command line predicts $step ns for tp 4"; }
