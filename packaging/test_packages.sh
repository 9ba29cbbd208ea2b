#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test_packages.sh [python]: installs what make_packages.sh made into bare Debian 12 and 13 roots, runs the demo there,
# removes it, and compares the lists of files before and after. Then the Python package (alone with the argument), the
# development package and the plug-ins.
# Roots are bootstrapped once a week, into build/roots. Needs root and mmdebstrap.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
. packaging/common.sh

roots=build/roots
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

if ! command -v mmdebstrap >/dev/null || [[ $(id -u) != 0 ]]; then
  say 'packages are not installed for a test: that needs root and mmdebstrap (./setup package)'
  exit 0
fi
mirror=$(apt_archives | awk '$4 == "Debian" { print $1; exit }')
if [[ ! $mirror ]]; then
  say "packages are not installed for a test: this system's apt has no archive of Debian"
  exit 0
fi

# bootstrap NAME SUITE VARIANT [PACKAGES]: build/roots/NAME.tar
bootstrap() {
  local tar=$roots/$1.tar
  if [[ -f $tar && $(find "$tar" -mtime -7) ]]; then return 0; fi
  say "bootstrapping $1"
  mkdir -p "$roots"
  quietly "$roots/$1.log" mmdebstrap "--variant=$3" ${4:+"--include=$4"} "$2" "$tar.new.tar" "$mirror"
  mv "$tar.new.tar" "$tar"
}

# unpack NAME: an own copy of the root, at $root.
unpack() {
  root=$scratch/$1
  mkdir "$root"
  tar -C "$root" -xf "$roots/$1.tar"
  mkdir -p "$root/tmp/work"
  cp "$packages/$name.tar.gz" "$packages/orrery-npm-$version.tgz" "$packages"/orrery_*.deb "$root/tmp/" 2>/dev/null || true
}

# inside COMMAND...: in the root, with a process table, no network, and little else.
inside() {
  unshare --mount --pid --net --fork "--mount-proc=$root/proc" chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root XDG_CACHE_HOME=/tmp/cache npm_config_cache=/tmp/npm DEBIAN_FRONTEND=noninteractive sh -ec "cd /tmp/work; $1" </dev/null
}

# Every path of the root, but where the system's own tools write what they did.
paths() {
  (cd "$root" && find . \( -path ./proc -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache \) -prune -o -print | sort)
}

seconds_since() {
  awk -v begin="$1" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", end - begin }'
}

# try SYSTEM PACKAGE INSTALL PROGRAM REMOVE: one line about it.
try() {
  local system=$1 package=$2 install=$3 program=$4 remove=$5 log=$scratch/log begin installed demo
  paths >"$scratch/before"
  rm -rf "$root/tmp/work" "$root/tmp/cache"
  mkdir "$root/tmp/work"
  begin=$EPOCHREALTIME
  if ! inside "$install" >"$log" 2>&1; then report "$system" "$package" 'installing failed' "$log"; return 0; fi
  installed=$(seconds_since "$begin")
  begin=$EPOCHREALTIME
  if ! inside "$program demo > out.txt && grep -q '^step time' out.txt && test -s orrery-demo.html" >"$log" 2>&1; then
    report "$system" "$package" 'the demo failed' "$log"
    return 0
  fi
  demo=$(seconds_since "$begin")
  # Commands that the demo recommends work unchanged; npx leaves no program for them.
  if [[ $package != npx ]] && ! inside "grep -E '^  [^ ]*orrery (run|critical-path)' out.txt > commands && sh -e commands" >"$log" 2>&1; then
    report "$system" "$package" 'commands that the demo recommends failed' "$log"
    return 0
  fi
  inside "$remove" >"$log" 2>&1 || { report "$system" "$package" 'removing failed' "$log"; return 0; }
  paths >"$scratch/after"
  if ! diff "$scratch/before" "$scratch/after" >"$log"; then report "$system" "$package" 'removing leaves files' "$log"; return 0; fi
  result "$system" "$package" "installed in $installed, demo in $demo, removed without remains"
}

# result SYSTEM PACKAGE TEXT
result() {
  printf '%-10s %-14s %s\n' "$@"
}

# report SYSTEM PACKAGE WHAT LOG
report() {
  result "$1" "$2" "FAILED: $3"
  sed 's/^/    /' "$4" | tail -n 20
  failed=1
}

try_system() {
  local system=$1 suite=$2
  bootstrap "$suite" "$suite" minbase
  unpack "$suite"
  try "$system" tarball "tar -C /opt -xzf /tmp/$name.tar.gz" "/opt/$name/bin/orrery" "rm -r /opt/$name"
  try "$system" .deb "dpkg -i /tmp/orrery_*.deb; test -f /usr/share/man/man1/orrery.1.gz -a -f /usr/share/bash-completion/completions/orrery" \
    orrery 'dpkg --purge orrery'
  rm -rf "$root"
  if [[ ! -f $packages/orrery-npm-$version.tgz ]]; then return 0; fi
  bootstrap "$suite-npm" "$suite" minbase npm
  unpack "$suite-npm"
  mkdir -p "$root/usr/local/lib/node_modules"  # npm's own; stays once there was a global package
  try "$system" npm "npm install --global --offline /tmp/orrery-npm-$version.tgz" orrery 'npm uninstall --global orrery'
  try "$system" npx true "npx --offline --yes --package /tmp/orrery-npm-$version.tgz orrery" true
  rm -rf "$root"
}

# The Python package, by Debian's tools and by pip, on the one Debian whose Python it is for: its answers are those of
# the program.
try_python() {
  local kind log=$scratch/log begin installed
  local program=/tmp/$name/bin/orrery deb=("$packages"/python3-orrery_*.deb)
  if [[ ! -f ${deb[0]} ]]; then say 'there is no Python package to test'; return 0; fi
  # The virtual environment is in /tmp, so that paths() compares what pip leaves elsewhere.
  bootstrap bookworm-python bookworm minbase python3-numpy,python3-venv
  unpack bookworm-python
  cp "${deb[0]}" "$packages"/orrery-*.whl packaging/python/try.py "$root/tmp/"
  inside "tar -C /tmp -xzf /tmp/$name.tar.gz" >"$log" 2>&1 || { report Debian-12 python 'the program does not unpack' "$log"; return 0; }
  local -A install=([.deb]='dpkg -i /tmp/python3-orrery_*.deb'
    [wheel]='python3 -m venv --system-site-packages /tmp/venv; /tmp/venv/bin/pip install --no-index /tmp/orrery-*.whl')
  local -A python=([.deb]=python3 [wheel]=/tmp/venv/bin/python)
  local -A remove=([.deb]='dpkg --purge python3-orrery' [wheel]='/tmp/venv/bin/pip uninstall -y orrery; ! /tmp/venv/bin/python -c "import orrery"')
  for kind in .deb wheel; do
    paths >"$scratch/before"
    begin=$EPOCHREALTIME
    if ! inside "${install[$kind]}" >"$log" 2>&1; then report Debian-12 "python $kind" 'installing failed' "$log"; continue; fi
    installed=$(seconds_since "$begin")
    if ! inside "${python[$kind]} /tmp/try.py $program" >"$log" 2>&1; then
      report Debian-12 "python $kind" 'the package does not work' "$log"
      continue
    fi
    cp "$log" "$scratch/tried"
    if ! inside "${remove[$kind]}" >"$log" 2>&1; then report Debian-12 "python $kind" 'removing failed' "$log"; continue; fi
    paths >"$scratch/after"
    if ! diff "$scratch/before" "$scratch/after" >"$log"; then report Debian-12 "python $kind" 'removing leaves files' "$log"; continue; fi
    result Debian-12 "python $kind" "installed in $installed, $(tail -n 1 "$scratch/tried"), removed without remains"
  done
  rm -rf "$root"
}

# The root that the image is built from: the C library alone. The image itself where there is buildah.
try_container() {
  local context=build/package/container log=$scratch/log begin image=(buildah --storage-driver vfs --root "$scratch/images" --runroot "$scratch/image-runs")
  bootstrap container bookworm extract libc6,base-files
  unpack container
  mkdir -p "$context"
  cp "$roots/container.tar" "$context/root.tar"
  cp "build/package/stage/$name/bin/orrery" "$context/orrery"
  cp "$context/orrery" "$root/usr/bin/orrery"
  begin=$EPOCHREALTIME
  # No shell and no /proc in there.
  if quiet "$log" env -i XDG_CACHE_HOME=/tmp/cache "$(command -v chroot)" "$root" /usr/bin/orrery demo --json; then
    result C-library 'root' "demo in $(seconds_since "$begin")"
  else
    report C-library 'root' 'the demo failed' "$log"
  fi
  rm -rf "$root"
  command -v buildah >/dev/null || return 0
  if quiet "$log" "${image[@]}" build --isolation chroot -t orrery -f packaging/Containerfile "$context" &&
    quiet "$log" "${image[@]}" from --name tried localhost/orrery &&
    quiet "$log" "${image[@]}" run --isolation chroot tried -- /usr/bin/orrery demo --json; then
    result image container 'built by buildah, the demo runs in it'
  else
    report image container 'building it or running the demo in it failed' "$log"
  fi
  "${image[@]}" rm --all >/dev/null 2>&1 || true
}

# Unpacking the data: at the same time, and where it cannot be.
try_data() {
  local log=$scratch/log program=$PWD/build/package/stage/$name/bin/orrery job jobs=() cache=$scratch/cache
  # What a process left that was killed while it unpacked.
  mkdir -p "$cache/orrery/.unpacking-killed" && touch -d '2 hours ago' "$cache/orrery/.unpacking-killed"
  mkdir "$scratch/here"
  for job in 1 2 3 4; do
    (cd "$scratch/here" && XDG_CACHE_HOME=$cache exec "$program" demo --json) >"$scratch/demo.$job" 2>&1 </dev/null &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || report here data 'one of four at the same time failed' "$scratch"/demo.1; done
  if [[ $(ls -A "$cache/orrery" | wc -l) == 1 ]] && cmp -s "$scratch/demo.1" "$scratch/demo.4"; then
    result here data 'four demos at the same time unpack it once, and remove leftovers'
  else
    report here data 'four demos at the same time leave more than one folder, or leftovers' <(ls -lA "$cache/orrery")
  fi
  # /proc cannot be written to; a limit on the size of files is like a full disk.
  expect_no_place /proc/orrery "$program" demo
  expect_no_place "$scratch/full" bash -c 'ulimit -f 20; exec "$0" demo' "$program"
  if [[ $(ls -A "$scratch/full/orrery") ]]; then report here data 'a full disk leaves files' <(find "$scratch/full"); fi
  # Neither variable: an error as well.
  if (cd "$scratch/here" && env -u HOME -u XDG_CACHE_HOME "$program" demo) >"$log" 2>&1 || ! grep -q 'hint: set XDG_CACHE_HOME' "$log"; then
    report here data 'no home folder is no error' "$log"
  fi
}

expect_no_place() {
  local log=$scratch/log status=0 place=$1
  shift
  (cd "$scratch/here" && XDG_CACHE_HOME=$place "$@") >"$log" 2>&1 </dev/null || status=$?
  if [[ $status == 2 ]] && grep -q 'hint: set XDG_CACHE_HOME' "$log"; then
    result here data "$(sed -n '1s/^orrery demo: //p' "$log")"
  else
    report here data "exit code $status instead of 2 in $place" "$log"
  fi
}

# The other Debian packages fit the system they were built on: this one. They are unpacked into a folder of their own.
try_others() {
  local log=$scratch/log prefix=$scratch/others deb plugin
  mkdir "$prefix"
  for deb in "$packages"/*.deb; do dpkg-deb -x "$deb" "$prefix"; done
  if quiet "$log" cmake -S examples/library -B "$scratch/library" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix/usr" &&
    quiet "$log" ninja -C "$scratch/library"; then
    result here liborrery-dev 'a program that uses the library builds'
  else
    report here liborrery-dev 'a program that uses the library does not build' "$log"
  fi
  # The program finds the plug-ins that were packaged, and loads them.
  XDG_CACHE_HOME=$scratch/cache "$prefix/usr/bin/orrery" doctor >"$log" 2>&1 || report here doctor 'the installation is not complete' "$log"
  for plugin in mpi:MPI bench:replays; do
    [[ -f $packages/orrery-${plugin%:*}_${version}_amd64.deb ]] || continue
    if grep -q "^${plugin#*:} .*not installed" "$log"; then
      report here "orrery-${plugin%:*}" 'the program does not find it' "$log"
    else
      result here "orrery-${plugin%:*}" "$(sed -n "s/^${plugin#*:}  *ok *//p" "$log")"
    fi
  done
}

quiet() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null
}

if [[ ${1:-} == python ]]; then
  try_python
  exit "$failed"
fi
try_system Debian-12 bookworm
try_system Debian-13 trixie
try_python
try_container
try_data
try_others
exit "$failed"
