#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which plans of collectives of other projects are right, and how long they take.

    benchmarks/plan_samples.py INDEX [--orrery build/release/apps/orrery/orrery] [--update]

INDEX is a JSON file with `files`: [{file, kind, source, …}], paths from its folder; those of kind msccl,
mscclpp and taccl are looked at. Prints the table of docs/plans.md; --update writes it there.
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
    done = subprocess.run([orrery, "plan", *arguments, "--json", "-q"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def name_of(file):
    """Where it is from: project and path."""
    source, path = file["source"].split("@")[0], file["source"].split(":", 1)[-1]
    return f"`{source}:{path.split('/')[-1]}`"


def milliseconds(picoseconds):
    return f"{picoseconds / 1e9:.3f} ms"


def row(orrery, root, file):
    path = str(root / file["file"])
    answer = ask(orrery, path)
    if "error" in answer:
        why = answer["error"]["what"]
        return [name_of(file), "", "", "", "", why, ""]
    plan = answer["result"]
    cluster = f"h100-sxm:{plan['ranks']}"
    right = "yes"
    if not plan["correct"]:
        first = plan["errors"][0]
        right = f"no: gpu {first['gpu']}, block {first.get('block')}, step {first.get('step')}: {first['what']}"
    elif not plan["result_checked"]:
        right = "messages, waits and races; " + plan["unchecked_reason"].replace('"', "")
    taken = ""
    if plan["correct"]:
        run = ask(orrery, path, "--cluster", cluster, "--network", "flow", "--size", SIZE)["result"]["run"]
        taken = milliseconds(run["time_ns"])
    notes = "; ".join(finding["code"] for finding in answer.get("findings", []))
    return [name_of(file), plan["collective"], str(plan["ranks"]), f"{plan['blocks']:,}", f"{plan['steps']:,}",
            right + (f" ({notes})" if notes else ""), taken]


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
        text += f"| file | collective | GPUs | blocks | steps | right? | {SIZE}, flows on H100s |\n"
        text += "|---|---|---|---|---|---|---|\n"
        text += "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n" for cells in rows)
    print(text)
    if options.update:
        page = PAGE.read_text()
        before, rest = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
