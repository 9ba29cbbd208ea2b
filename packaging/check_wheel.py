#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_wheel.py WHEEL: whether the libraries in a wheel keep what its manylinux tag promises.

Each may need only versions of symbols up to the limits of the tag, libraries that every such system
has, and libraries in the wheel, which it finds beside itself. Exit code 1 if one does not.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# The newest versions for x86_64, and libraries that are allowed, from auditwheel
# (src/auditwheel/policy/manylinux-policy.json, read 2026-12-02). The tag's own number limits GLIBC:
# https://peps.python.org/pep-0600/
LIMITS = {"manylinux_2_34": {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13", "GCC": "7.0.0"},
          "manylinux_2_35": {"GLIBC": "2.35", "GLIBCXX": "3.4.30", "CXXABI": "1.3.13", "GCC": "12.0.0"},
          "manylinux_2_36": {"GLIBC": "2.36", "GLIBCXX": "3.4.30", "CXXABI": "1.3.13", "GCC": "12.0.0"}}
#: Also the dynamic linker, which libraries name for variables of threads.
ALLOWED = {"libatomic.so.1", "libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libc.so.6",
           "libpthread.so.0", "libz.so.1", "ld-linux-x86-64.so.2"}


def numbers(version):
    return [int(part) for part in version.split(".")]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def problems_of(library, limits, inside):
    """What one library needs and must not, a sentence each."""
    headers = output("objdump", "-p", str(library))
    needed = re.findall(r"^ +NEEDED +(\S+)$", headers, re.MULTILINE)
    for name in needed:
        if name not in ALLOWED and name not in inside:
            yield f"{library.name} needs {name}, which is not in the wheel and not on every system"
    if any(name in inside for name in needed) and not re.search(r"^ +RUNPATH +\$ORIGIN$", headers, re.MULTILINE):
        yield f"{library.name} does not look for libraries in its own folder (RUNPATH $ORIGIN)"
    versions = re.findall(r"\(([A-Z]+)_([0-9][0-9.]*)\)", output("objdump", "-T", str(library)))
    for kind, version in sorted(set(versions)):
        if kind in limits and numbers(version) > numbers(limits[kind]):
            yield f"{library.name} needs {kind}_{version}; the limit is {kind}_{limits[kind]}"
        elif kind not in limits:
            yield f"{library.name} needs {kind}_{version}, for which there is no limit in this script"


def main(wheel):
    tag = re.search(r"-cp\d+-cp\d+-(\w+)_x86_64\.whl$", wheel.name)
    if tag is None or tag[1] not in LIMITS:
        sys.exit(f"{wheel}: no tag of {', '.join(LIMITS)}")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        libraries = sorted(path for path in Path(folder).rglob("*.so*") if path.is_file())
        if len(libraries) < 2:
            sys.exit(f"{wheel}: the module or the library is missing")
        inside = {path.name for path in libraries}
        found = [text for library in libraries for text in problems_of(library, LIMITS[tag[1]], inside)]
    for text in found:
        print(f"{wheel.name}: {text}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
