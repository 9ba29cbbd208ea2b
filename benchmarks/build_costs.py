#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints CPU times of a build and durations of its tests.

  build_costs.py BUILD [--cores N]                 from ninja's log and ctest's, as tables
  build_costs.py BUILD --headers TARGET ...        the ten most expensive headers of these targets (runs clang)

BUILD is a build folder such as build/release. CPU times of steps are estimates: while n steps run at once, each is charged
1/n of the time of all cores. This is valid if the build keeps all cores busy and no other program runs. Times of tests are
the wall-clock times that ctest printed in its last run.
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

OTHERS = "benchmarks and others"


def steps_of(log):
    """Steps in ninja's log: {(start, end): outputs}, in ms of the clock of file dates.

    The log counts from the start of each run of ninja. It also contains the date of the output, which is the step's end.
    """
    steps = collections.defaultdict(list)
    for line in log.read_text().splitlines()[1:]:
        start, end, written, output, _ = line.split("\t")
        at = int(written) // 1_000_000
        if at:
            steps[at - (int(end) - int(start)), at].append(output)
    return steps


def charged(steps, cores):
    """CPU seconds charged to each step. Steps are (start, end) in ms."""
    cost = dict.fromkeys(steps, 0.0)
    times = sorted({time for step in steps for time in step})
    begin = sorted(steps)
    running, next_step = [], 0
    for now, later in zip(times, times[1:]):
        while next_step < len(begin) and begin[next_step][0] <= now:
            running.append(begin[next_step])
            next_step += 1
        running = [step for step in running if step[1] > now]
        for step in running:
            cost[step] += (later - now) / 1000 * cores / max(len(running), cores)
    return cost


def part_of(output):
    """The part of the project to which an output belongs, and "compile" or "link"."""
    target = re.search(r"(?:^|/)CMakeFiles/([^/]+)\.dir/", output)
    if not target:
        name = pathlib.PurePath(output).name
        return re.sub(r"^lib(.*)\.a$", r"\1", name), "link"
    return target[1], "compile"


def kind_of(part):
    if part.endswith("_tests"):
        return "tests"
    return "program" if part.startswith("orrery") else OTHERS


def build_table(log, cores):
    """Rows (kind, part, compile, link), in CPU seconds, most expensive first."""
    costs = collections.defaultdict(lambda: {"compile": 0.0, "link": 0.0})
    steps = steps_of(log)
    for step, cost in charged(list(steps), cores).items():
        for output in steps[step]:
            part, what = part_of(output)
            costs[part][what] += cost / len(steps[step])
    rows = [(kind_of(part), part, cost["compile"], cost["link"]) for part, cost in costs.items()]
    return sorted(rows, key=lambda row: (-(row[2] + row[3]), row[1]))


def test_table(log):
    """Rows (test, seconds) of ctest's last run, longest first."""
    found = re.findall(r'^"?([\w.]+)"? time elapsed: (\d+):(\d+):(\d+)', log.read_text(errors="replace"), re.M)
    rows = [(name, int(h) * 3600 + int(m) * 60 + int(s)) for name, h, m, s in found]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def print_build(build, cores):
    rows = build_table(build / ".ninja_log", cores)
    print("| part | compile, CPU s | link, CPU s |\n|---|---:|---:|")
    for kind in ("program", "tests", OTHERS):
        of = [row for row in rows if row[0] == kind]
        print(f"| **{kind}** | **{sum(r[2] for r in of):.0f}** | **{sum(r[3] for r in of):.0f}** |")
        for _, part, compiled, linked in of:
            if compiled + linked >= 1:
                print(f"| `{part}` | {compiled:.1f} | {linked:.1f} |")


def print_tests(log):
    rows = test_table(log)
    print(f"\n| test | wall s |\n|---|---:|\n| **all {len(rows)}** | **{sum(row[1] for row in rows)}** |")
    for name, seconds in rows:
        if seconds >= 1:
            print(f"| `{name}` | {seconds} |")


def clang():
    """The clang++ of the package list for this system."""
    setup = pathlib.Path(__file__).parent.parent / "setup"
    packages = subprocess.run([setup, "--print", "clang"], check=True, capture_output=True, text=True).stdout.split()
    return next(name for name in packages if name.startswith("clang-")).replace("clang", "clang++")


def header_costs(build, targets):
    """Seconds that clang spends in each header, including nested headers, summed over the units of the targets."""
    total = collections.Counter()
    commands = json.loads((build / "compile_commands.json").read_text())
    units = [c for c in commands if any(f"CMakeFiles/{target}.dir/" in c["command"] for target in targets)]
    if not units:
        sys.exit(f"build_costs.py: {build}/compile_commands.json: no unit of {', '.join(targets)}; use names of CMake targets")
    compiler = clang()
    with tempfile.TemporaryDirectory() as folder:
        for count, unit in enumerate(units, 1):
            words = shlex.split(unit["command"])
            source = words[words.index("-c") + 1]
            options = [word for word in words if word.startswith(("-I", "-D", "-isystem", "-std"))]
            result = f"{folder}/unit.o"
            print(f"\r{count}/{len(units)} units", end="", file=sys.stderr, flush=True)
            subprocess.run([compiler, *options, "-w", "-O0", "-ftime-trace", "-c", source, "-o", result],
                           check=True, cwd=unit["directory"])
            for event in json.loads(pathlib.Path(f"{folder}/unit.json").read_text())["traceEvents"]:
                name = event.get("args", {}).get("detail", "")
                if event.get("name") == "Source" and not name.endswith((".cc", ".cxx")):
                    total[re.sub(r".*/include/", "", name) if "/src/" not in name else name.split("/src/")[1]] += event["dur"] / 1e6
    print(file=sys.stderr)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--headers", nargs="+", metavar="TARGET")
    options = parser.parse_args()
    if not (options.build / ".ninja_log").is_file():
        sys.exit(f"build_costs.py: {options.build}: no .ninja_log; build there first")
    if options.headers:
        print("| header, including nested headers | s |\n|---|---:|")
        for name, seconds in header_costs(options.build, options.headers).most_common(10):
            print(f"| `{name}` | {seconds:.1f} |")
        return
    print_build(options.build, options.cores)
    log = options.build / "Testing/Temporary/LastTest.log"
    if log.is_file():
        print_tests(log)


if __name__ == "__main__":
    main()
