#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the in-step factors of the catalog (data/catalog/devices/nvidia.yaml, in_step) to the core of data/measured.

Usage: benchmarks/fit_factors.py [--program orrery] [--update]

`orrery accuracy --fit` fits one factor for each device and width of products. A device without a fit of its own has that
of a related device, or of all devices together (RELATED). Prints the factors of the catalog and the fitted ones.

--update: writes the catalog. Build the program again afterwards: it contains the file.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CATALOG = HERE.parent / "data" / "catalog" / "devices" / "nvidia.yaml"
CORE = HERE.parent / "data" / "measured" / "core"
ALL = ""  # the fit of all devices together
# The device whose factors a device without an own fit has. Of a device that is not named here: the factors of ALL. A GB300
# multiplies 4 bits 1.5 times as fast as a GB200.
RELATED = {"a100-40gb": "a100-80gb", "h800": "h100-sxm", "h20": "h100-sxm", "h200-sxm": "h100-sxm", "h100-pcie": "h100-sxm",
           "h100-nvl": "h100-sxm", "gh200": "h100-sxm", "b200": "gb200", "b300": "gb300", "gb300": "gb200", ("gb300", 4): ALL}
ENTRY = re.compile(r"(    - \{bits: (\d+), )factor: ([\d.]+), least: (-?[\d.]+), most: (-?[\d.]+)\}")


def fitted(program):
    command = [program, "accuracy", *map(str, sorted(CORE.glob("*.csv"))), "--fit", "--json", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"fit_factors: {' '.join(command[:2])}: {done.stderr}")
    return {(one["device"] or ALL, one["bits"]): one for one in json.loads(done.stdout)["result"]["factors"]}


def factor_of(fits, device, bits):
    """The fit of the device, of a related one, or of all; its device."""
    seen = device
    while (seen, bits) not in fits:
        seen = RELATED.get((seen, bits), RELATED.get(seen, ALL))
        if seen == ALL:
            break
    return fits.get((seen, bits)), seen


def source_of(fits, device, widths):
    """How the factors were made, by width."""
    parts = []
    for bits in widths:
        fit, of = factor_of(fits, device, bits)
        plural = "" if fit["sources"] == 1 else "s"
        parts.append(f"{fit['points']} steps with {bits} bits ({fit['sources']} source{plural})" if of == device
                     else f"{bits} bits as {of or 'all devices'}")
    return "data/measured: " + ", ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="orrery")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    fits = fitted(options.program)
    device, widths, lines = None, [], []
    for line in CATALOG.read_text().split("\n"):
        if line.startswith("- name: "):
            device, widths = line[len("- name: "):].strip(), []
        entry = ENTRY.fullmatch(line)
        if entry:
            bits = int(entry[2])
            fit, of = factor_of(fits, device, bits)
            if fit is None:
                sys.exit(f"fit_factors: {CATALOG.name}: {device} has a factor for {bits} bits, and no step with {bits} bits is measured")
            widths.append(bits)
            print(f"{device:12} {bits:2} bits: {entry[3]} -> {fit['factor']:.3f} ({of or 'all devices'})")
            line = f"{entry[1]}factor: {fit['factor']:.3f}, least: {fit['low_error']:.3f}, most: {fit['high_error']:.3f}}}"
        if line.startswith("  in_step_source: ") and widths:
            line = f'  in_step_source: "{source_of(fits, device, widths)}"'
        lines.append(line)
    if options.update:
        CATALOG.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
