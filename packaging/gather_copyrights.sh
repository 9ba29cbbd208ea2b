#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# gather_copyrights.sh LICENSE PAGE PACKAGE...: the license texts that a portable program has to come with: Orrery's own,
# those of the Debian packages whose code is in it, and those of the npm packages in the web page (the folder PAGE).
set -euo pipefail

license=$1 page=$2
shift 2
printf 'Orrery: Apache License 2.0\n\n'
cat "$license"
for package; do
  printf '\n\n==== Contains code of the Debian package %s ====\n\n' "$package"
  cat "/usr/share/doc/$package/copyright"
done
# Packages that are used for building only are marked "dev" in the lock file.
python3 - "$page" <<'END'
import json, pathlib, sys

page = pathlib.Path(sys.argv[1])
for place, package in sorted(json.loads((page / "package-lock.json").read_text())["packages"].items()):
    if not place or package.get("dev"):
        continue
    texts = sorted(path for path in (page / place).glob("LICEN[CS]E*"))
    print(f"\n\n==== The web page contains code of the npm package {place.split('node_modules/')[-1]} ====\n")
    print("\n".join(path.read_text() for path in texts) or package.get("license", "license: see the package"))
END
