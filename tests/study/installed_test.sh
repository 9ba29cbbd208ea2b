#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A program of one's own is built against the installed tree alone, and says what the command line says.
# Usage: installed_test.sh SOURCE BUILD
set -euo pipefail
source="$1" build="$2"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { echo "installed_test: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$folder/prefix" > "$folder/install.txt"
cp -r "$source/examples/library" "$folder/library"
options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$folder/prefix")
# What the libraries were made with, their user needs, too: the compiler and its sanitizers.
for key in CMAKE_CXX_COMPILER:FILEPATH CMAKE_CXX_COMPILER:STRING ORRERY_SANITIZE:STRING; do
  value="$(sed -n "s|^$key=||p" "$build/CMakeCache.txt")"
  [[ -n "$value" ]] || continue
  case "$key" in
    ORRERY_SANITIZE*) options+=("-DCMAKE_CXX_FLAGS=-fsanitize=$value") ;;
    *) options+=("-DCMAKE_CXX_COMPILER=$value") ;;
  esac
done
cmake -S "$folder/library" -B "$folder/build" "${options[@]}" > "$folder/configure.txt" 2>&1 ||
  { cat "$folder/configure.txt"; fail "it is not found"; }
cmake --build "$folder/build" > "$folder/build.txt" 2>&1 || { cat "$folder/build.txt"; fail "it does not build"; }
if grep -rqF "$source" "$folder/prefix/lib/cmake" "$folder/prefix/include"; then
  fail "what is installed names the folder that it was built in"
fi

"$folder/build/step_time" > "$folder/said.txt"
[[ "$(wc -l < "$folder/said.txt")" == 4 ]] || { cat "$folder/said.txt"; fail "four lines were expected"; }
step="$("$folder/prefix/bin/orrery" run --model llama-3.1-8b --tp 4 --global-batch 64 --cluster h100-sxm:64 --json -q |
        sed -n 's/.*"step_ns": *\([0-9.]*\).*/\1/p' | head -n 1)"
grep -qx "tp 4: $(printf '%.1f' "${step}e-6") ms" "$folder/said.txt" ||
  { cat "$folder/said.txt"; fail "the command line says $step ns for tp 4"; }
