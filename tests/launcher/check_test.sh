#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check_test.sh PROJECT: tests which rooms ./check builds and tests. Git is real; setup, cmake, ninja and ctest are stand-ins.
set -euo pipefail

project=$1
command -v git >/dev/null || { echo 'skipped: git is not installed'; exit 0; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failed=0

mkdir "$here/bin"
for tool in cmake ninja ctest; do
  printf '#!/usr/bin/env bash\necho "%s $*" >>"%s/calls"\n' "$tool" "$here" >"$here/bin/$tool"
done
chmod +x "$here"/bin/*

copy=$here/copy
mkdir -p "$copy"/{src/orrery/{graph/transform,sim,table},include/orrery/sim,addons/extra/command,apps/orrery,cmake,docs}
cp "$project/check" "$copy"
mkdir -p "$copy/packaging" && cp "$project/packaging/say.sh" "$copy/packaging"
printf '#!/usr/bin/env bash\n[[ ${1:-} != --print ]] || echo clang-14\n' >"$copy/setup"
chmod +x "$copy/setup"
touch "$copy"/src/orrery/{graph/transform/a.cc,graph/transform/a_test.cc,sim/b.cc,sim/b_test.cc,table/c.cc} \
  "$copy"/{include/orrery/sim/b.h,addons/extra/{e_test.cc,command/e.cc},apps/orrery/d.cc,cmake/packages.txt,cmake/OrreryOptions.cmake,docs/page.md}
git() { command git -C "$copy" -c user.name=x -c user.email=x@x -c commit.gpgsign=false "$@"; }
git init -q && echo build/ >"$copy/.gitignore" && git add . && git commit -qm one

# expect NAME BUILT TESTED ARGUMENTS...: expected targets of ninja and tests of ctest.
expect() {
  local name=$1 built=$2 tested=$3 status=0
  shift 3
  : >"$here/calls"
  PATH=$here/bin:$PATH "$copy/check" "$@" >"$here/out" 2>&1 || status=$?
  if ((status)) || ! grep -qxE "ninja -C build/asan -j [0-9]+ ?$built" "$here/calls" ||
    [[ $(sed -n 's/.* -R \([^ ]*\).*/\1/p' "$here/calls") != "$tested" ]]; then
    printf '%s: status %d\n%s\n%s\n' "$name" "$status" "$(<"$here/calls")" "$(<"$here/out")"
    failed=1
  fi
}

all='orrery orrery_table orrery_extra_tests orrery_graph_tests orrery_sim_tests'
expect 'no release: all rooms' "$all" '^(orrery_extra_tests|orrery_graph_tests|orrery_sim_tests)' asan changed
echo 'project(made_up VERSION 0.1.0 LANGUAGES CXX)' >"$copy/CMakeLists.txt"
git add . && git commit -qm 'a release'
echo x >>"$copy/src/orrery/graph/transform/a.cc"
expect 'the commit that set the version' 'orrery_graph_tests' '^(orrery_graph_tests)' asan changed
command git clone -q --depth 1 "file://$copy" "$here/shallow" && mv "$copy" "$here/full" && mv "$here/shallow" "$copy"
expect 'the newest commits alone: all rooms' "$all" '^(orrery_extra_tests|orrery_graph_tests|orrery_sim_tests)' asan changed
rm -rf "$copy" && mv "$here/full" "$copy"
git stash -q && git tag v1 && git stash pop -q
expect 'an edit' 'orrery_graph_tests' '^(orrery_graph_tests)' asan changed
git commit -qam two
echo x >>"$copy/docs/page.md"
echo x >>"$copy/cmake/packages.txt"
expect 'a commit, and changes outside rooms' 'orrery_graph_tests' '^(orrery_graph_tests)' asan changed
touch "$copy/src/orrery/table/new.cc"
echo x >>"$copy/include/orrery/sim/b.h"
expect 'a new file, a public header' 'orrery_table orrery_graph_tests orrery_sim_tests' \
  '^(orrery_graph_tests|orrery_sim_tests)' asan changed
git tag v2 && git stash -qu
echo x >>"$copy/apps/orrery/d.cc"
expect 'the newest tag, the command line' 'orrery' '' asan changed
echo x >>"$copy/addons/extra/e_test.cc"
git stash -q -- apps
expect 'an add-on' 'orrery_extra_tests' '^(orrery_extra_tests)' asan changed
echo x >>"$copy/addons/extra/command/e.cc"
expect 'the command of an add-on' 'orrery orrery_extra_tests' '^(orrery_extra_tests)' asan changed
echo x >>"$copy/cmake/OrreryOptions.cmake"
expect 'flags' "$all" '^(orrery_extra_tests|orrery_graph_tests|orrery_sim_tests)' asan changed
expect 'rooms by name' 'orrery_sim_tests' '^(orrery_sim_tests)' asan sim
expect 'all rooms' '' '^()' asan unit

status=0
"$copy/check" asan nosuch >"$here/out" 2>&1 || status=$?
if ((status != 2)) || ! grep -q "there is no room 'nosuch'" "$here/out"; then
  printf 'a room that does not exist: status %d\n%s\n' "$status" "$(<"$here/out")"
  failed=1
fi

((failed == 0)) && echo 'all as expected'
exit "$failed"
