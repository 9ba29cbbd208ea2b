#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates the same collectives and the same step on eight fabrics of 64 devices, without and with a fault.

    benchmarks/fabric_gallery.py [--orrery build/release/apps/orrery/orrery] [--update]

Prints the table of docs/fabric-gallery.md. --update writes it between the marks of that page, and
plots the pictures in docs/pictures/fabrics. The simulations use `network_model: flow` and Orrery's
own algorithms, one collective at a time. The step is Llama 3.1 8B, tensor-parallel by 8 and
data-parallel by 8.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "fabric-gallery.md"
PICTURES = ROOT / "docs" / "pictures" / "fabrics"

# File, description, fault.
FABRICS = [
    ("fat-tree-64", "fat tree, as many ports up as down", "{from: leaf0, to: spine0, links: 1}"),
    ("fat-tree-64-oversubscribed", "fat tree, a fourth of the ports up", "{from: leaf0, to: spine0, links: 1}"),
    ("rail-optimized-64", "rail-optimized", "{from: segment0.rail0, to: spine0}"),
    ("rail-only-64", "rails only", "{from: host0.nic0, to: rail0.segment0.rail0}"),
    ("dual-plane-64", "two planes, sprayed", "{node: plane0.spine0}"),
    ("dragonfly-64", "dragonfly", "{from: group0.router0, to: group0.router1}"),
    ("torus-64", "torus of 4 x 4 x 4", "{from: npu0, to: npu1}"),
    ("one-domain-64", "one scale-up domain", "{node: host0.switch0}"),
]
SIZE = 256 << 20
STEP = "--model llama-3.1-8b --tp 8 --dp 8 --sp --global-batch 64 --seq 4096".split()


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def collective(program, folder, kind):
    """Traces of 64 ranks with one collective."""
    text = folder / f"{kind}.txt"
    text.write_text(f"MICRO\n1\none -1 0 NONE 0 0 NONE 0 0 {kind} {SIZE} 0\n")
    made = folder / kind / "w"
    run(program, "trace", "convert", text, "--npus", 64, "-o", made, "-q")
    return made


def seconds(program, cluster, *what):
    answer = json.loads(run(program, "run", *what, "--cluster", cluster, "--json", "-q"))
    return answer["result"]["step_ns"] * 1e-9


def with_fault(cluster, fault, folder):
    text = cluster.read_text().rstrip("\n") + f"\n  faults: [{fault}]\n"
    made = folder / f"faulty-{cluster.name}"
    made.write_text(text)
    return made


def words(time):
    return f"{time * 1e3:.2f} ms" if time < 1 else f"{time:.3f} s"


def measure(program, folder):
    jobs = {
        "all-reduce": [collective(program, folder, "ALLREDUCE")],
        "all-to-all": [collective(program, folder, "ALLTOALL")],
        "step": STEP,
    }
    rows = []
    for name, what, fault in FABRICS:
        cluster = ROOT / "examples" / "fabrics" / f"{name}.yaml"
        faulty = with_fault(cluster, fault, folder)
        cells = [f"[{what}](../examples/fabrics/{name}.yaml)"]
        for job in jobs.values():
            healthy, slowed = (seconds(program, one, *job) for one in (cluster, faulty))
            cells += [words(healthy), f"{100 * (slowed / healthy - 1):+.1f} %"]
        cells.append(f"`{fault}`")
        rows.append(cells)
        print(" | ".join(cells), file=sys.stderr)
    return rows


def table(rows):
    head = ["fabric", "all-reduce", "broken", "all-to-all", "broken", "step", "broken", "fault"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--orrery", default=ROOT / "build/release/apps/orrery/orrery")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = table(measure(options.orrery, pathlib.Path(folder)))
    print(text)
    if not options.update:
        return
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, _, _ in FABRICS:
        run(options.orrery, "network", "show", ROOT / "examples" / "fabrics" / f"{name}.yaml", "--plot",
            PICTURES / f"{name}.svg", "--force", "-q")
    page = PAGE.read_text()
    begin, end = "<!-- table: benchmarks/fabric_gallery.py --update -->\n", "<!-- end of table -->\n"
    before, rest = page.split(begin)
    PAGE.write_text(before + begin + "\n" + text + "\n" + end + rest.split(end)[1])


if __name__ == "__main__":
    main()
