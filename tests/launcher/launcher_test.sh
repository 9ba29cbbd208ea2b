#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# launcher_test.sh PROJECT: tests ./orrery with a page of reports that builds and with one that does not, and the messages
# during the build. All programs that it starts are stand-ins; nothing is compiled, installed or downloaded.
set -euo pipefail

project=$1
here=$(mktemp -d)
# If the program does not build, the build of the page may still run for a moment.
trap 'rm -rf "$here" 2>/dev/null || { sleep 2; rm -rf "$here"; }' EXIT
failed=0

fail() {
  printf '%s: %s\n  stdout: %s\n  stderr: %s\n' "$name" "$1" "$(<"$here/out")" "$(<"$here/err")"
  failed=1
}

# PATH of the tested script: only these tools.
mkdir "$here/bin"
for tool in bash env readlink dirname mkdir mktemp rm cat touch mv cp chmod find grep tail sed flock sleep; do
  ln -s "$(command -v "$tool")" "$here/bin/$tool"
done

made_up() {
  cat >"$here/bin/$1"
  chmod +x "$here/bin/$1"
}

# All packages are installed.
made_up dpkg-query <<'END'
#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift; done
printf 'installed %s\n' "$@"
END
made_up apt-get <<'END'
#!/usr/bin/env bash
echo 'apt-get was called' && exit 1
END
made_up cmake <<'END'
#!/usr/bin/env bash
: >build/release/build.ninja
END
# Builds a program that prints whether it contains the page. Prints steps only if it does something.
made_up ninja <<'END'
#!/usr/bin/env bash
program=$2/apps/orrery/$3 page=no
[[ ${NINJA:-} != fails ]] || { echo '[1/2] Building x'; echo 'FAILED: x is wrong'; exit 1; }
[[ -s $2/../../web/dist/report.html ]] && page=yes
mkdir -p "${program%/*}"
text=$(printf '#!/usr/bin/env bash\necho "page %s%s, arguments: $*"' "$page" "${3#orrery}")
if [[ -f $program && $(<"$program") == "$text" ]]; then
  echo 'ninja: no work to do.'
else
  for ((i = 1; i <= ${STEPS:-2}; ++i)); do echo "[$i/${STEPS:-2}] Building x"; done
  rm -f "$program"
  echo "$text" >"$program"
  chmod +x "$program"
fi
END
made_up npm <<'END'
#!/usr/bin/env bash
echo "$*" >>../npm.calls
if [[ $1 == ci ]]; then
  [[ ${NPM:-} != ci_fails ]] || { echo 'network unreachable' >&2; exit 1; }
  mkdir -p node_modules && : >node_modules/.package-lock.json
else
  [[ ${NPM:-} != build_fails ]] || { echo 'type error' >&2; exit 1; }
  mkdir -p "$ORRERY_DIST" && for page in report app; do echo '<html>' >"$ORRERY_DIST/$page.html"; done
fi
END

# A fresh copy of the project.
begin() {
  name=$1
  copy=$here/$name
  mkdir -p "$copy/apps/orrery" "$copy/cmake" "$copy/web/src/pages"
  cp "$project/orrery" "$project/setup" "$copy"
  cp "$project/cmake/packages.txt" "$copy/cmake"
  cp "$project/apps/orrery/first_commands.txt" "$copy/apps/orrery"
  arguments=(a 'b c')
  touch "$copy"/web/{src/pages/a.ts,index.html,package.json,package-lock.json,tsconfig.json,vite.config.js}
}

# start STATUS [WORD=VALUE...]: runs ./orrery in the copy and expects this exit status.
start() {
  local wanted=$1 status=0
  shift
  (cd "$copy" && env -i PATH="$here/bin" HOME="$here" TERM=dumb "$@" ./orrery "${arguments[@]}") \
    >"$here/out" 2>"$here/err" </dev/null || status=$?
  ((status == wanted)) || fail "exit status $status instead of $wanted"
}

expect() {
  [[ $(<"$here/$1") == "$2" ]] || fail "$1 is not: $2"
}

calls_of_npm() {
  local count=0
  if [[ -f $copy/npm.calls ]]; then count=$(grep -c '' "$copy/npm.calls"); fi
  ((count == $1)) || fail "npm was called $count times instead of $1"
}

begin 'all is well'
start 0
expect out 'page yes, arguments: a b c'
expect err ''
start 0
expect out 'page yes, arguments: a b c'
expect err ''
calls_of_npm 2
sleep 0.02 && touch "$copy/web/src/pages/a.ts"
start 0
calls_of_npm 3
[[ ! -e $copy/build/release/launcher.took ]] || fail 'stores the duration of a build with two steps'

begin 'there is no npm'
mv "$here/bin/npm" "$here/npm"
start 0
expect out 'page no, arguments: a b c'
grep -qx 'orrery: continuing without .*no npm.*; to build it later: ./setup --page' "$here/err" || fail 'nothing said'
start 0
expect out 'page no, arguments: a b c'
expect err ''
mv "$here/npm" "$here/bin/npm"

begin 'packages cannot be fetched'
start 0 NPM=ci_fails
expect out 'page no, arguments: a b c'
expect err 'orrery: continuing without the web page of reports (npm ci failed); to build it later: ./setup --page'
start 0 NPM=ci_fails
expect err ''
calls_of_npm 1
(cd "$copy" && PATH=$here/bin ./setup --page) >"$here/out" 2>"$here/err" || fail 'later: ./setup --page'
start 0
expect out 'page yes, arguments: a b c'
expect err ''

begin 'the page does not build'
start 0 NPM=build_fails
expect out 'page no, arguments: a b c'
expect err 'orrery: continuing without the web page of reports (building the page failed); to build it later: ./setup --page'

begin 'the program does not build'
start 70 NINJA=fails
grep -q 'x is wrong' "$here/err" || fail 'does not print the reason'
expect out ''

begin 'the demo, and later another command'
arguments=(demo --open)
start 0
expect out 'page yes_first, arguments: demo --open'
expect err ''
arguments=(search s.yaml)
start 0
expect out 'page yes, arguments: search s.yaml'
expect err 'orrery: compiling the remaining commands'
arguments=(demo)
start 0
expect out 'page yes, arguments: demo'
expect err ''

begin 'another command, and later the demo'
start 0
arguments=(demo)
start 0
expect out 'page yes, arguments: demo'
[[ ! -e $copy/build/release/apps/orrery/orrery_first ]] || fail 'built twice'

begin 'the last build was long'
mkdir -p "$copy/build/release"
echo '220 300' >"$copy/build/release/launcher.took"
start 0 STEPS=150
expect err 'orrery: building 150 steps, about 2 min (took 3 min 40 s last time)'
grep -qx '[0-9] 150' "$copy/build/release/launcher.took" || fail 'does not store the duration of this build'

begin 'on a terminal'
mkdir -p "$copy/build/release"
echo '220 300' >"$copy/build/release/launcher.took"
(cd "$copy" && env -i PATH="$here/bin" HOME="$here" TERM=xterm STEPS=30 SHELL=/bin/sh \
  "$(command -v script)" -qec ./orrery /dev/null) >"$here/out" 2>"$here/err" </dev/null || fail 'exit status'
grep -q 'orrery: building 3/30, about 20 s left' "$here/out" || fail 'prints no progress'
grep -q 'last time' "$here/out" && fail 'compares a small build with a large one'
grep -qx '220 300' "$copy/build/release/launcher.took" || fail 'stores the duration of a small build'

((failed == 0)) && echo 'all as expected'
exit "$failed"
