# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of packages have in common. Sourced in the root folder of the project.
packages=build/packages
version=$(sed -n 's/^project(orrery VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
name=orrery-$version-linux-$(uname -m)

say() {
  printf 'check: %s\n' "$1" >&2
}

die() {
  printf 'check: %s\n' "$1" >&2
  exit "${2:-1}"
}

# Runs a command; its output goes to a log and is printed only when the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null || { grep -v '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 60 >&2; die "failed: $*"; }
}

# The archives that this system's apt uses, one a line: URI, release, component, label.
apt_archives() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
    awk '$4 == "Debian" || $4 == "Ubuntu" { print $1, $2, $3, $5 }' | sort -u
}
