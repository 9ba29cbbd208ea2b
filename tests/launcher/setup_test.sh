#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# setup_test.sh PROJECT: tests which packages ./setup installs on each system, and its messages if it cannot install them.
# dpkg, apt, sudo, the compiler and the user are stand-ins; nothing is installed.
set -euo pipefail

project=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failed=0

fail() {
  printf '%s: %s\n  stdout: %s\n  stderr: %s\n' "$name" "$1" "$(<"$here/out")" "$(<"$here/err")"
  failed=1
}

# PATH of the tested script: only these tools.
mkdir "$here/bin"
for tool in bash env readlink dirname mktemp rm cat grep; do
  ln -s "$(command -v "$tool")" "$here/bin/$tool"
done

made_up() {
  cat >"$here/bin/$1"
  chmod +x "$here/bin/$1"
}

# INSTALLED: names of installed packages.
made_up dpkg-query <<'END_OF'
#!/usr/bin/env bash
while [[ $1 == -W ]]; do shift; done
format=$1 && shift
for package; do
  [[ " ${INSTALLED:-} " == *" $package "* ]] || continue
  if [[ $format == *Package* ]]; then printf 'installed %s\n' "$package"; else printf 'installed'; fi
done
END_OF
# Installs only for root.
made_up apt-get <<'END_OF'
#!/usr/bin/env bash
[[ ${AS:-$USER_ID} == 0 ]] || { echo 'Permission denied'; exit 100; }
while [[ $1 == -o ]]; do shift 2; done
printf '%s\n' "$*" >>"${0%/*}/../calls"
END_OF
made_up id <<'END_OF'
#!/usr/bin/env bash
echo "$USER_ID"
END_OF
# A compiler that finds the headers in HEADERS.
made_up c++ <<'END_OF'
#!/usr/bin/env bash
text=$(cat)
for header in ${HEADERS:-}; do [[ $text == *"<$header>"* ]] && exit 0; done
exit 1
END_OF
mkdir "$here/sudo"
cat >"$here/sudo/sudo" <<'END_OF'
#!/usr/bin/env bash
[[ ${SUDO:-} == allows ]] || { echo 'sudo: a password is required' >&2; exit 1; }
[[ $1 == -n ]] && shift
AS=0 exec "$@"
END_OF
chmod +x "$here/sudo/sudo"
made_up true <<'END_OF'
#!/usr/bin/env bash
END_OF

mkdir -p "$here/project/cmake"
cp "$project/setup" "$here/project"
cat >"$here/project/cmake/packages.txt" <<'END_OF'
# a comment
base g++ command:g++
base libfmt-dev header:fmt/format.h
base libcli11-dev header:CLI/CLI.hpp

clang clang-14 debian-13:clang-19 ubuntu-24.04:clang-18 command:clang++-14
collect python3-torch
END_OF

# setup ID VERSION STATUS [WORD=VALUE...] [-- ARGUMENT...]: runs ./setup on that system.
setup() {
  local status=0 wanted=$3 words=()
  printf 'NAME="Some System"\nID=%s\nVERSION_ID="%s"\n' "$1" "$2" >"$here/os-release"
  shift 3
  while (($#)) && [[ $1 != -- ]]; do words+=("$1") && shift; done
  (($#)) && shift
  : >"$here/calls"
  env -i PATH="$here/bin" HOME="$here" USER_ID=0 ORRERY_OS_RELEASE="$here/os-release" "${words[@]}" \
    "$here/project/setup" "$@" >"$here/out" 2>"$here/err" </dev/null || status=$?
  ((status == wanted)) || fail "exit status $status instead of $wanted"
}

expect() {
  [[ $(<"$here/$1") == "$2" ]] || fail "$1 is not: $2"
}

all='install -y --no-install-recommends'

name='Debian 12'
setup debian 12 0 -- clang
expect calls "$all g++ libfmt-dev libcli11-dev clang-14"

name='Debian 13'
setup debian 13 0 'INSTALLED=g++ clang-14' -- clang
expect calls "$all libfmt-dev libcli11-dev clang-19"
setup debian 13 0 -- --print clang
expect out $'g++\nlibfmt-dev\nlibcli11-dev\nclang-19'

name='Ubuntu 24.04'
setup ubuntu 24.04 0 'INSTALLED=g++ libfmt-dev libcli11-dev' -- clang
expect calls "$all clang-18"

name='all is installed'
setup debian 13 0 'INSTALLED=g++ libfmt-dev libcli11-dev' USER_ID=1000
expect calls ''
expect err ''

command_of_root="setup: root has to install 2 packages. The command for an administrator:
apt-get update && apt-get $all libfmt-dev libcli11-dev"

name='neither root nor sudo'
setup debian 12 2 INSTALLED=g++ USER_ID=1000
expect err "$command_of_root"
expect calls ''

name='sudo that refuses'
setup debian 12 2 INSTALLED=g++ USER_ID=1000 PATH="$here/bin:$here/sudo"
expect err "$command_of_root"
expect calls ''

name='sudo that allows'
setup debian 12 0 INSTALLED=g++ USER_ID=1000 SUDO=allows PATH="$here/bin:$here/sudo"
expect calls "$all libfmt-dev libcli11-dev"

# A package is not missing if its command or header exists, or if dpkg lists it.
name='another system'
setup fedora 41 0 HEADERS=fmt/format.h INSTALLED=libcli11-dev -- collect
expect err "setup: no package names for this system (fedora-41), only for Debian 12, Debian 13 and Ubuntu 24.04; continuing.
Missing, by the names of Debian 12:
  g++ (command g++)
  python3-torch"
expect calls ''
made_up g++ </dev/null
setup fedora 41 0 'HEADERS=fmt/format.h CLI/CLI.hpp' USER_ID=1000
expect err ''

name='another system, without dpkg'
rm "$here/bin/dpkg-query" "$here/bin/apt-get"
setup fedora 41 0 HEADERS=CLI/CLI.hpp
grep -qx '  libfmt-dev (header fmt/format.h)' "$here/err" || fail 'fmt is not named'
grep -qE 'g\+\+|libcli11-dev' "$here/err" && fail 'lists a package that is not missing'

((failed == 0)) && echo 'all as expected'
exit "$failed"
