#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Closure of what-ifs on recordings: predictions compared with recordings of what they predict.

    benchmarks/device_closure.py ORRERY DATA [--update PAGE]

DATA is the folder of public recordings (pairs/, traces/, replay/, cases/traces/), which are not part
of the project. Without --update the tables are printed; with it they replace those of PAGE
(docs/reference/device-change.md). Needs Python's standard library only. Costs 1 min of CPU time.

Each prediction of a model on another device uses device ratios that are learned without any
recording of that model (benchmarks/device_ratios.py --without MODEL).
"""
import argparse
import glob
import json
import math
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import device_ratios  # noqa: E402  (the folder of this script)

FOLDERS = ("pairs", "traces", "replay")
DEVICES = {"h100": "h100-sxm", "mi300": "mi300x"}
HALVED = ("kernels=0.5", "copies=0.5", "communication=0.5")
# File, changes, and the planted share of the step that they save.
PLANTED = (("deepep_spin.json", ("kernels=0.5",), 0.5),
           ("deepep_spin_after.json", ("kernels=0.5",), 0.498),
           ("skew.rank*.json", ("waits=0",), 0.0))


class Program:
    """Runs commands of Orrery."""

    def __init__(self, orrery):
        self.orrery = orrery

    def ask(self, *arguments):
        """The answer as JSON; None if the command fails."""
        run = subprocess.run([self.orrery, *arguments, "-q", "--json"], capture_output=True, text=True)
        try:
            said = json.loads(run.stdout)
        except ValueError:
            return None
        return said if "result" in said else None

    def change(self, trace, changes, *options):
        return self.ask("whatif", trace, *[w for c in changes for w in ("--change", c)], *options)

    def streams(self, trace, change, *options):
        """(sum, union) of the times of all streams, and the step, in ms, after a change."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.orrery")
            subprocess.run([self.orrery, "whatif", trace, "--change", change, *options, "-q", "-o", path],
                           capture_output=True, check=False)
            if not os.path.exists(path):
                return None
            with sqlite3.connect(path) as run:
                spans = run.execute(
                    "SELECT start_ps, start_ps + duration_ps FROM span JOIN lane ON lane.id = span.lane "
                    "WHERE lane.kind = 'stream' ORDER BY start_ps").fetchall()
                step = run.execute("SELECT step_ps FROM run").fetchone()[0]
        busy, end = 0, 0
        for start, stop in spans:
            busy += max(0, stop - max(start, end))
            end = max(end, stop)
        return sum(b - a for a, b in spans) / 1e9, busy / 1e9, step / 1e9


def percent(share):
    return f"{100 * share:+.1f}"


def closure_rows(program, data, folder):
    """One row per device change, and what they add up to."""
    models = sorted({os.path.basename(p).split(".")[0] for p in glob.glob(f"{data}/pairs/*.json.gz")})
    rows, steps, nothing, devices, inside = [], [], [], [], 0
    for model in models:
        learned = os.path.join(folder, model + ".csv")
        with open(learned, "w", encoding="utf-8") as file:
            lines = device_ratios.table(program.orrery, [f"{data}/{f}" for f in FOLDERS], model)
            file.write(device_ratios.COLUMNS + "\n" + "\n".join(lines) + "\n")
        for a, b in (("h100", "mi300"), ("mi300", "h100")):
            here, there = (f"{data}/pairs/{model}.{d}.json.gz" for d in (a, b))
            option = ("--device-ratios", learned)
            said = program.change(here, [f"gpu={DEVICES[b]}"], *option)["result"]
            built_in = program.change(here, [f"gpu={DEVICES[b]}"])["result"]["changed_step_ns"]
            true = program.change(there, ["host=1"])["result"]["recorded_ns"]
            predicted, band = said["changed_step_ns"], said["changed_interval"]
            device = program.streams(here, f"gpu={DEVICES[b]}", *option)[0]
            device_true = program.streams(there, "host=1")[0]
            device_before = program.streams(here, "host=1")[0]
            holds = band["low_ns"] <= true <= band["high_ns"]
            steps.append(predicted / true - 1)
            nothing.append(said["recorded_ns"] / true - 1)
            devices.append(device / device_true - 1)
            inside += holds
            rows.append((model, f"{DEVICES[a]} → {DEVICES[b]}", f"{said['recorded_ns'] / 1e6:.3f}",
                         f"{true / 1e6:.3f}",
                         f"{predicted / 1e6:.3f} ({band['low_ns'] / 1e6:.3f} … {band['high_ns'] / 1e6:.3f})",
                         percent(steps[-1]), percent(nothing[-1]), percent(built_in / true - 1),
                         "yes" if holds else "no",
                         f"{device_true:.3f}", f"{device:.3f}", percent(devices[-1]),
                         percent(device_before / device_true - 1)))
    better = sum(abs(s) < abs(n) for s, n in zip(steps, nothing))
    totals = (f"Of {len(rows)} steps, {better} are predicted better than by the recording itself. "
              f"The mean error is {100 * statistics.mean(map(abs, steps)):.1f} % "
              f"(the recording itself: {100 * statistics.mean(map(abs, nothing)):.1f} %). The median error of "
              f"device times is {100 * statistics.median(map(abs, devices)):.1f} %. "
              f"{inside} intervals contain the recorded step.")
    return rows, totals


def class_rows(program, data):
    """Own bias of both devices by class, and the error of their ratio without and with the table of
    the other models."""
    paths = device_ratios.recordings_in([f"{data}/{f}" for f in FOLDERS])
    observed = device_ratios.observe_kernels(program.orrery, paths)
    rows = []
    for name, seen in sorted(observed.items()):
        bias = {}
        for device in DEVICES.values():
            means = [o.mean for o in seen if o.device == device]
            bias[device] = (math.exp(statistics.mean(means)), len(means)) if means else None
        before, after = [], []
        for model in {o.model for o in seen}:
            on = {o.device: o.mean for o in seen if o.model == model}
            if not set(DEVICES.values()) <= set(on):
                continue
            ratio = on["mi300x"] - on["h100-sxm"]
            before.append(abs(ratio))
            others = [o for o in seen if o.model != model]
            terms = device_ratios.solve(name, others)[0] if others else {}
            if set(DEVICES.values()) <= set(terms):  # else nothing is corrected
                ratio -= terms["mi300x"][0] - terms["h100-sxm"][0]
            after.append(abs(ratio))
        if not any(bias.values()):
            continue
        said = [f"{bias[d][0]:.2f} ({bias[d][1]})" if bias[d] else "-" for d in DEVICES.values()]
        errors = [f"{100 * math.expm1(statistics.mean(e)):.0f}" if e else "-" for e in (before, after)]
        rows.append((name, *said, *errors, str(len(before))))
    return rows


def consistency_rows(program, data):
    """Recordings whose device is busy: what halving its work saves."""
    rows = []
    for path in device_ratios.recordings_in([f"{data}/{f}" for f in FOLDERS]):
        busy = program.streams(path, "host=1")
        if busy is None or busy[1] < 0.9 * busy[2]:
            continue
        said = program.change(path, HALVED)
        saves = 1 - said["result"]["changed_step_ns"] / said["result"]["base_step_ns"]
        codes = {f["code"] for f in said["findings"]} & {"step_ignores_device", "step_ignores_changes"}
        rows.append((os.path.relpath(path, data), f"{100 * busy[1] / busy[2]:.1f}", f"{100 * saves:.1f}",
                     ", ".join(sorted(codes)) or "-", "yes" if saves >= 0.3 or codes else "no"))
    return rows


def planted_rows(program, data):
    rows = []
    for name, changes, planted in PLANTED:
        said = program.change(f"{data}/cases/traces/{name}", changes)
        saves = 1 - said["result"]["changed_step_ns"] / said["result"]["base_step_ns"]
        late = [p for f in said["findings"] if f["code"] == "late_start" for p in f["places"]]
        found = re.search(r": ([\d.]+ \w+) after", late[0]) if late else None
        rows.append((name, " ".join(changes), f"{100 * planted:.1f}", f"{100 * saves:.1f}",
                     f"late by {found.group(1)}" if found else "-",
                     "yes" if abs(saves - planted) <= 0.02 else "no"))
    return rows


HEADS = {
    "closure": ("model", "change", "recorded, ms", "true, ms", "predicted, ms (80 % interval)", "error, %",
                "of nothing, %", "built-in table, %", "inside", "device true, ms", "device predicted, ms", "error, %",
                "of nothing, %"),
    "classes": ("class", "h100-sxm", "mi300x", "ratio, error %", "with the others' table, %", "models"),
    "consistency": ("recording", "device busy, %", "half of its work saves, %", "finding", "consistent"),
    "planted": ("recording", "change", "planted, %", "saved, %", "late rank", "within 2 %"),
}
NUMBERS = re.compile(r", (%|ms)|inside|models|h100|mi300")


def markdown(name, rows):
    head = HEADS[name]
    align = ["--:" if NUMBERS.search(h) else "---" for h in head]
    lines = ["| " + " | ".join(r) + " |" for r in (head, *rows)]
    return "\n".join([lines[0], "|" + "|".join(align) + "|", *lines[1:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("orrery")
    parser.add_argument("data")
    parser.add_argument("--update", metavar="PAGE")
    options = parser.parse_args()
    program = Program(options.orrery)
    with tempfile.TemporaryDirectory() as folder:
        rows, totals = closure_rows(program, options.data, folder)
    parts = {"closure": markdown("closure", rows) + "\n\n" + totals,
             "classes": markdown("classes", class_rows(program, options.data)),
             "consistency": markdown("consistency", consistency_rows(program, options.data)),
             "planted": markdown("planted", planted_rows(program, options.data))}
    if not options.update:
        print("\n\n".join(parts.values()))
        return
    with open(options.update, encoding="utf-8") as file:
        page = file.read()
    for name, text in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        at, until = page.index(begin) + len(begin), page.index(end)
        page = page[:at] + "\n" + text + "\n" + page[until:]
    with open(options.update, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
