#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# make_packages.sh: builds the program for packages (preset `package`) and puts into build/packages: a tarball, Debian
# packages, an npm package, a wheel for Python, and their checksums. The same commit on the same system makes the same bytes.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. packaging/common.sh

build=build/package
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
# Debian 12 has glibc 2.36, its C++ library needs 2.34.
oldest_glibc=2.34

# Files in packages have the time of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH
umask 022

# Debian packages no archive of simdjson, so it is compiled from Debian's source package of the same version. It comes from
# the archives that this system uses, and apt checks its signature.
fetch_simdjson() {
  local source_version folder lists
  source_version=$(dpkg-query -W -f '${source:Version}' libsimdjson-dev)
  simdjson=$PWD/$build/simdjson-$source_version
  if [[ -d $simdjson ]]; then return 0; fi
  say "fetching Debian's source package of simdjson $source_version"
  folder=$(mktemp -d)
  lists=$PWD/$build/apt
  mkdir -p "$lists/state/partial" "$lists/cache/archives/partial"
  apt_archives | awk '{ print "deb-src", $1, $2, $3 }' >"$lists/sources.list"
  local own=(-o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$lists/state" -o "Dir::Cache=$lists/cache" -o APT::Sandbox::User=)
  quietly "$build/fetch.log" apt-get "${own[@]}" update
  (cd "$folder" && quietly "$lists/source.log" apt-get "${own[@]}" source "simdjson=$source_version")
  mv "$folder"/simdjson-*/ "$simdjson"
  rm -rf "$folder"
}

build_program() {
  mkdir -p "$build"
  fetch_simdjson
  quietly "$build/configure.log" cmake --preset package "-DORRERY_SIMDJSON_SOURCE=$simdjson"
  say "building $build ($jobs at a time)"
  # The commit is asked for now, whatever an earlier build wrote down.
  rm -f "$build/generated/commit.cc"
  quietly "$build/build.log" ninja -C "$build" -j "$jobs"
}

# ns-3 is GPL-2: the plug-in that is built with it is not passed on.
check_files() {
  local package found
  for package in "$packages"/*.deb "$packages"/*.tar.gz "$packages"/*.tgz; do
    if [[ ! -f $package ]]; then continue; fi
    if [[ $package == *.deb ]]; then found=$(dpkg-deb --contents "$package"); else found=$(tar -tzf "$package"); fi
    if grep -qF orrery_ns3.so <<<"$found"; then die "$package contains the ns-3 plug-in"; fi
  done
}

# The wheel, with a tag that holds for every library in it.
make_wheel() {
  local built=$build/stage/wheel
  if [[ ! -d $build/python ]]; then say "no headers of Python or no pybind11: no wheel and no python3-orrery ('./setup python' installs them)"; return 0; fi
  ORRERY_BUILD=$PWD/$build quietly "$build/wheel.log" /usr/bin/python3 -m build --wheel --no-isolation --outdir "$built" \
    "-C--build-option=--plat-name=manylinux_${oldest_glibc/./_}_$(uname -m)" python
  /usr/bin/python3 -B packaging/check_wheel.py "$built"/*.whl || die 'the tag of the wheel does not hold (above)'
  mv "$built"/*.whl "$packages/"
}

# The program starts wherever glibc is new enough and asks for no library but glibc's.
check_program() {
  local program=$build/apps/orrery/orrery needed newest
  needed=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }' | grep -vE '^(libc|libm|ld-linux-x86-64)\.so\.[0-9]$' || true)
  if [[ $needed ]]; then die "the program for packages needs $needed"; fi
  newest=$(objdump -T "$program" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
  if [[ $(printf '%s\n' "GLIBC_$oldest_glibc" "$newest" | sort -V | tail -n 1) != "GLIBC_$oldest_glibc" ]]; then
    objdump -T "$program" | grep -F "$newest" >&2
    die "the program for packages needs $newest (above) instead of GLIBC_$oldest_glibc"
  fi
}

# Sorted, with times, owners and modes that do not depend on who packs.
pack() {
  tar --format=gnu --sort=name "--mtime=@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$@"
}

make_tarball() {
  rm -rf "$build/stage"
  quietly "$build/install.log" cmake --install "$build" --component program --prefix "$PWD/$build/stage/$name"
  pack -C "$build/stage" -c "$name" | gzip -9n >"$packages/$name.tar.gz"
}

make_debian_packages() {
  quietly "$build/cpack.log" cpack --config "$build/CPackConfig.cmake" -B "$PWD/$build/debian"
  mv "$build"/debian/*.deb "$packages/"
}

make_npm_package() {
  local stage=$build/stage/npm
  mkdir -p "$stage"
  cp packaging/npm/README.md "$stage/"
  cp -R "$build/stage/$name/bin" "$build/stage/$name/share" "$stage/"
  sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" packaging/npm/package.json >"$stage/package.json"
  (cd "$stage" && quietly ../npm.log npm pack --pack-destination ..)
  mv "$build/stage/orrery-$version.tgz" "$packages/orrery-npm-$version.tgz"
}

if ! git diff --quiet HEAD 2>/dev/null; then
  say 'there are changes that are not committed: the packages name the last commit all the same'
fi
rm -rf "$packages"
mkdir -p "$packages"
build_program
check_program
make_tarball
make_debian_packages
make_wheel
if command -v npm >/dev/null; then make_npm_package; else say 'no npm: no npm package'; fi
check_files
(cd "$packages" && sha256sum -- * >SHA256SUMS)
(cd "$packages" && du -b -- * | awk '{ printf "%-40s %5.1f MB\n", $2, $1 / 1e6 }')
