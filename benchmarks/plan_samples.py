#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the collective plans of other projects, and predicts their times.

    benchmarks/plan_samples.py INDEX [--orrery build/release/apps/orrery/orrery] [--update]

INDEX is a JSON file with `files`: [{file, kind, source, …}], paths from its folder. The script uses the kinds
msccl, mscclpp and taccl. Prints the tables of docs/plans.md; --update writes them there.
"""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "plans.md"
BEGIN, END = "<!-- made by benchmarks/plan_samples.py -->\n", "<!-- end -->\n"
SIZE = "16 MB"
KINDS = {"msccl": "MSCCL and RCCL", "mscclpp": "MSCCL++", "taccl": "TACCL"}


def ask(orrery, *arguments):
    done = subprocess.run([orrery, "collective", "check", *arguments, "--json", "-q"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def name_of(file):
    """Project and name of the file."""
    source, path = file["source"].split("@")[0], file["source"].split(":", 1)[-1]
    return f"`{source}:{path.split('/')[-1]}`"


def milliseconds(nanoseconds):
    return f"{nanoseconds / 1e6:.3f} ms"


def row(orrery, root, file):
    path = str(root / file["file"])
    answer = ask(orrery, path)
    if "error" in answer:
        why = answer["error"]["what"]
        return [name_of(file), "", "", "", "", why, ""]
    plan = answer["result"]
    cluster = f"h100-sxm:{plan['ranks']}"
    verdict = "yes"
    if not plan["correct"]:
        first = plan["errors"][0]
        place = f", block {first['block_index']}, step {first['block_step']}" if "block_index" in first else ""
        verdict = f"no: gpu {first['rank']}{place}: {first['what']}"
    elif not plan["result_checked"]:
        verdict = "messages, waits and races only: " + plan["unchecked_reason"].replace('"', "")
    time = ""
    if plan["correct"]:
        run = ask(orrery, path, "--cluster", cluster, "--network", "flow", "--size", SIZE)["result"]["run"]
        time = milliseconds(run["time_ns"])
    notes = "; ".join(finding["code"] for finding in answer.get("findings", []))
    return [name_of(file), plan["collective"], str(plan["ranks"]), f"{plan['blocks']:,}", f"{plan['steps']:,}",
            verdict + (f" ({notes})" if notes else ""), time]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("--orrery", default=ROOT / "build/release/apps/orrery/orrery")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    index = pathlib.Path(options.index)
    files = json.loads(index.read_text())["files"]
    text = ""
    for kind, title in KINDS.items():
        rows = [row(options.orrery, index.parent, file) for file in files if file["kind"] == kind]
        text += f"\n### {title}: {len(rows)} files\n\n"
        text += f"| file | collective | GPUs | blocks | steps | correct | time of {SIZE} on H100s, flow model |\n"
        text += "|---|---|---|---|---|---|---|\n"
        text += "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n" for cells in rows)
    print(text)
    if options.update:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
