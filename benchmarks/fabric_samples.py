#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists which fabric files of other projects Orrery reads, and what they contain.

    benchmarks/fabric_samples.py INDEX [--orrery build/release/apps/orrery/orrery] [--update]

INDEX is a JSON file with `files`: [{file, kind, source, …}], paths from its folder. Prints the table
of docs/reference/fabric-files.md; --update writes it there.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "fabric-files.md"
HEAD = """# Fabrics of other projects

This page lists fabric and topology files that other projects publish. `orrery network show` reads and plots each of them, or
refuses it with a reason. `benchmarks/fabric_samples.py` generates the page.

A file name begins with the repository of the file. "Open" shows how many links have no bandwidth or no latency in the
file. Orrery can plot such a fabric, and can simulate it once [`defaults`](../fabrics.md#importing-a-fabric) set these figures.

"""


def read_fabric(orrery, path, folder):
    picture = folder / "picture.svg"
    done = subprocess.run([orrery, "network", "show", path, "--json", "-q", "--plot", picture, "--force"],
                          capture_output=True, text=True)
    answer = json.loads(done.stdout) if done.stdout else {}
    if done.returncode not in (0, 2, 3, 4) or (done.returncode == 0 and "<svg" not in picture.read_text()):
        raise SystemExit(f"{path}: exit code {done.returncode}\n{done.stderr}")
    return answer if done.returncode == 0 else None, done.stderr


def row(orrery, root, file, folder):
    answer, messages = read_fabric(orrery, root / file["file"], folder)
    source = file["source"].split("@")
    name = source[0] + ":" + source[-1].split(":", 1)[-1] if len(source) > 1 else file["source"]
    if " " in source[0]:  # not from a repository
        name = file["file"]
    name = f"`{name[:90]}`"
    if answer is None:
        why = messages.split("error: ", 1)[-1].split("\n")[0].split(": ", 1)[-1]
        return False, [name, "refused", "", "", why.replace("|", "\\|")]
    fabric = answer["result"]
    nodes = sum(fabric["nodes_by_class"].values())
    links = sum(kind["links"] for kind in fabric["links_by_class"])
    lacks = {"bandwidth": sum(k["links"] for k in fabric["links_by_class"] if k["bandwidth_bytes_per_s"] == 0),
             "latency": sum(k["links"] for k in fabric["links_by_class"] if "latency_ns" not in k)}
    open_figures = ", ".join(f"{what} of {count}" for what, count in lacks.items() if count)
    return True, [name, str(fabric["nodes_by_class"].get("device", 0)), str(nodes), str(links), open_figures]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("--orrery", default=ROOT / "build/release/apps/orrery/orrery")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    index = pathlib.Path(options.index)
    kinds = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for file in json.loads(index.read_text())["files"]:
            kinds[file["kind"]].append(row(options.orrery, index.parent, file, pathlib.Path(folder)))
    text = HEAD + "| kind | read | refused |\n|---|---|---|\n"
    for kind, rows in kinds.items():
        read = sum(1 for fine, _ in rows if fine)
        text += f"| {kind} | {read} | {len(rows) - read} |\n"
    for kind, rows in kinds.items():
        text += f"\n## {kind}\n\n| file | accelerators | nodes | links | open, or reason of the refusal |\n|---|---|---|---|---|\n"
        text += "".join("| " + " | ".join(cells) + " |\n" for _, cells in rows)
    print(text)
    if options.update:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
