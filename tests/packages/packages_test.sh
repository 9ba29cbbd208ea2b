#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# packages_test.sh PROJECT: checks that version, changelog, workflows and package scripts agree. apt is a stand-in; nothing is
# built.
set -euo pipefail

cd "$1"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failed=0

expect() {
  local what=$1 expected=$2 got=$3
  if [[ $got == "$expected" ]]; then return 0; fi
  printf '%s\n  expected: %s\n  got:      %s\n' "$what" "$expected" "$got"
  failed=1
}

mkdir "$here/bin"
cat >"$here/bin/apt-get" <<'END_OF'
#!/usr/bin/env bash
cat <<'LINES'
http://one.example/debian/ bookworm main Debian Debian
http://one.example/debian/ bookworm main Debian Debian
http://one.example/debian-security/ bookworm-security main Debian Debian-Security
http://two.example/apt/ stable main Vendor Tools
LINES
END_OF
chmod +x "$here/bin/apt-get"
PATH=$here/bin:$PATH

. packaging/common.sh

expect 'the version in CMakeLists.txt' yes "$([[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] && echo yes)"
expect 'third-party archives are excluded, the others are listed once' \
  'http://one.example/debian-security/ bookworm-security main Debian-Security;http://one.example/debian/ bookworm main Debian' \
  "$(apt_archives | paste -sd ';')"
expect "the changelog has a heading for $version" 1 "$(grep -c "^## ${version//./\\.} ([0-9-]*)$" CHANGELOG.md)"
expect 'the README names the files of this version' 3 "$(grep -o "orrery[-_a-z]*${version//./\\.}[-_a-z0-9]*\.\(tgz\|tar\.gz\|deb\)" README.md | sort -u | wc -l)"

for script in packaging/*.sh; do
  bash -n "$script" || failed=1
done

# A failed command prints its output, without the steps that succeeded.
expect 'quietly prints what failed' 'cannot
check: failed: bash -c echo "[1/2] fine"; echo cannot; exit 3' "$( (quietly "$here/log" bash -c 'echo "[1/2] fine"; echo cannot; exit 3') 2>&1 || true)"

if python3 -c 'import yaml' 2>/dev/null; then
  python3 - <<'END_OF' || failed=1
import pathlib, yaml

for path in sorted(pathlib.Path(".github/workflows").glob("*.yml")):
    workflow = yaml.safe_load(path.read_text())
    for name, job in workflow["jobs"].items():
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), f"{path}: {name}: a step either runs or uses"
    images = workflow["jobs"]["check"]["strategy"]["matrix"]["image"]
    assert images == ["debian:12", "debian:13", "ubuntu:24.04"], f"{path}: {images}"
END_OF
fi

exit "$failed"
