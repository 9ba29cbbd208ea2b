#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the errors of complete steps (data/catalog/step_errors.yaml) to the published steps of data/measured.

Usage: benchmarks/fit_bands.py [--program orrery] [--predictions FILE] [--update]

Each step is predicted with in-step factors that are fitted without its source, without its model family, without its
release, and without its device (`orrery accuracy --fit`). What the intervals of the models of kernels and collectives do
not cover of these errors is the error of the complete step. The terms of a kind of job are chosen so that 80 % of the
steps lie in their intervals. They are divided between sources, families, releases, devices and plans in
proportion to the squares of the errors that these explain, one after the other.

--predictions: reads the JSON of that command instead of running it (it predicts every point five times).
--update: writes data/catalog/step_errors.yaml, and the figures of docs/bands.md. Build the program again afterwards: it
contains the file.

Prints the share of measured steps in the intervals for every group of at least 25 steps that is left out.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MEASURED = HERE.parent / "data" / "measured"
TERMS = HERE.parent / "data" / "catalog" / "step_errors.yaml"
PAGE = HERE.parent / "docs" / "bands.md"
BEGIN, END = "<!-- figures: benchmarks/fit_bands.py --update -->", "<!-- end of figures -->"
LEFT_OUT = ("source", "family", "release", "device")  # validate::kLeftOutTraits
LEVELS = ("source", "family", "release", "device")    # terms, in the order in which they explain errors; the rest is `plan`
FEWEST = 25  # steps of an entry, and of a group in the printed table
OUTSIDE = 0.2  # share of steps outside an interval
LEAST, MOST = -0.95, 20  # limits of a term, as platform::StepErrorRange


class Step:
    """A measured step, with all shares relative to its predicted time."""

    def __init__(self, point):
        self.traits = point["point_traits"]
        self.measured = point["measured_s"]
        self.predicted = point["predicted_s"]
        self.left_out = point["left_out_s"]
        low, high = point["models_range_s"]
        self.low, self.high = low / self.predicted - 1, high / self.predicted - 1

    def trait(self, name):
        return self.traits[name]

    def kind(self, products):
        return self.traits["kind"] + (", " + self.traits["precision"] if products else "")

    def error(self, without):
        """Measured over predicted, less 1, with factors fitted without this trait's group."""
        return self.measured / self.left_out[without] - 1


def predictions(options):
    if options.predictions:
        return json.loads(pathlib.Path(options.predictions).read_text())["result"]
    more = [word for file in sorted((MEASURED / "more").glob("*.[cj]s*")) for word in ("--predict-only", str(file))]
    command = [options.program, "accuracy", *map(str, sorted((MEASURED / "core").glob("*.csv"))), *more, "--fit", "--json", "--threads", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"fit_bands: {' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["result"]


def states(step, trait):
    return trait != "release" or step.trait("release") != "unstated"


def cases(steps, traits):
    """(step, error) for each left-out trait."""
    return [(step, step.error(trait)) for trait in traits for step in steps if states(step, trait)]


def missing(steps, traits):
    """The squares of the terms on both sides that the intervals of the models lack, so that 1 - OUTSIDE of the steps are in
    the intervals. Both sides have the same share outside, but a side that the models already cover has less, and the other
    one more."""
    all_cases = cases(steps, traits)
    lacks_below = sorted(max(0, min(0, error) ** 2 - min(0, step.low) ** 2) for step, error in all_cases)
    lacks_above = sorted(max(0, max(0, error) ** 2 - max(0, step.high) ** 2) for step, error in all_cases)
    for outside in (OUTSIDE / 2 + i * OUTSIDE / 200 for i in range(101)):
        last = max(0, math.ceil((1 - outside) * len(all_cases)) - 1)
        below, above = lacks_below[last], lacks_above[last]
        # A step is on one side only, so it is outside if it lacks more than the term there.
        beyond = sum(lack > below for lack in lacks_below) + sum(lack > above for lack in lacks_above)
        if beyond > OUTSIDE * len(all_cases):
            break
        chosen = below, above
    return chosen


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def shares(steps):
    """The share of the squared errors that each level explains: the medians of its groups within the groups of the levels
    before it. The last is what remains between plans."""
    errors = [math.log1p(step.error("source")) for step in steps]
    explained = []
    for depth in range(len(LEVELS)):
        groups = collections.defaultdict(list)
        for i, step in enumerate(steps):
            groups[tuple(step.trait(level) for level in LEVELS[:depth + 1])].append(i)
        square = 0
        for members in groups.values():
            middle = median([errors[i] for i in members])
            square += len(members) * middle ** 2
            for i in members:
                errors[i] -= middle
        explained.append(square)
    explained.append(sum(error ** 2 for error in errors))
    total = sum(explained) or 1
    return dict(zip(LEVELS + ("plan",), (one / total for one in explained)))


def entry(name, steps):
    below, above = missing(steps, ("source", "family", "release"))
    divided = shares(steps)
    terms = {term: (max(LEAST, -math.sqrt(below * part)), min(MOST, math.sqrt(above * part))) for term, part in divided.items()}
    # A device without factors: at least as wide as one with them.
    low, high = missing(steps, ("device",))
    terms["unknown_device"] = (max(LEAST, -math.sqrt(max(0, low - below) + terms["device"][0] ** 2)),
                               min(MOST, math.sqrt(max(0, high - above) + terms["device"][1] ** 2)))
    sources = sorted({step.trait("source") for step in steps})
    families = len({step.trait("family") for step in steps})
    devices = len({step.trait("device") for step in steps})
    about = (f"{len(steps)} steps of data/measured: {', '.join(sources)}; {families} model families, {devices} devices, "
             f"{len({step.trait('release') for step in steps if states(step, 'release')})} stated releases")
    return {"name": name, "about": about, "terms": {term: (round(low, 4), round(high, 4)) for term, (low, high) in terms.items()}}


def fit(steps):
    entries = []
    for products in (True, False):
        groups = collections.defaultdict(list)
        for step in steps:
            groups[step.kind(products)].append(step)
        entries += [entry(name, some) for name, some in sorted(groups.items()) if len(some) >= FEWEST]
    return entries


def text(entries):
    lines = ["# Errors of predicted steps beyond those of the models of their kernels and collectives, as shares of the step: 80 %",
             "# intervals. Computed and written by benchmarks/fit_bands.py --update; docs/bands.md describes the method.", ""]
    for one in entries:
        lines += [f"- name: {one['name']}", f"  about: \"{one['about']}\""]
        lines += [f"  {term}: {{least: {low + 0:g}, most: {high + 0:g}}}" for term, (low, high) in one["terms"].items()]
        lines += [""]
    return "\n".join(lines)


def interval(step, entries):
    """The interval of a step on a device with factors, as the program computes it."""
    by_name = {one["name"]: one["terms"] for one in entries}
    terms = by_name.get(step.kind(True)) or by_name.get(step.kind(False))
    if terms is None:
        return step.low, step.high
    used = [terms[term] for term in LEVELS + ("plan",)]
    return (-math.sqrt(min(0, step.low) ** 2 + sum(low ** 2 for low, _ in used)),
            math.sqrt(max(0, step.high) ** 2 + sum(high ** 2 for _, high in used)))


def coverage_row(name, some, trait, entries):
    """A row of the table, and whether 72 to 88 % of the steps lie in the interval."""
    ranges = [interval(step, entries) for step in some]
    own = sum(step.low <= step.error(trait) <= step.high for step in some) / len(some)
    with_terms = sum(low <= step.error(trait) <= high for step, (low, high) in zip(some, ranges)) / len(some)
    above = sum(step.error(trait) > high for step, (_, high) in zip(some, ranges)) / len(some)
    width = median([(high - low) / 2 for low, high in ranges])
    fine = 0.72 <= with_terms <= 0.88
    return (f"| {name} | {len(some)} | {100 * own:.0f} % | {100 * with_terms:.0f} %{'' if fine else ' (!)'} | {100 * above:.0f} % | "
            f"{100 * width:.1f} % |"), fine


def widest(one):
    """The widest term of an entry, in words."""
    names = {"source": "sources", "family": "model families", "release": "releases", "device": "devices", "plan": "plans"}
    term, (low, high) = max(((term, one["terms"][term]) for term in names), key=lambda item: item[1][1] - item[1][0])
    return f"between {names[term]}, {100 * low + 0:+.0f} to {100 * high:+.0f} %"


def table(steps, entries):
    lines = ["| left out | steps | in the interval of the models | in the interval | above it | half-width |", "|---|---:|---:|---:|---:|---:|"]
    missed = []
    for trait in LEFT_OUT[:3]:
        some = [step for step in steps if states(step, trait)]
        groups = collections.defaultdict(list)
        for step in some:
            groups[step.trait(trait)].append(step)
        named = [(f"each {trait} in turn", some)] + [(f"{trait} {name}", group) for name, group in sorted(groups.items())]
        for name, group in named:
            if len(group) >= FEWEST:
                line, fine = coverage_row(name, group, trait, entries)
                lines.append(line)
                missed += [] if fine else [name]
    lines += ["", "(!): outside 72 to 88 %: " + ", ".join(missed) + "." if missed else "All are between 72 and 88 %.", "",
              "| kind of job | steps | in the interval of the models | in the interval | above it | half-width | widest term |",
              "|---|---:|---:|---:|---:|---:|---|"]
    for one in entries:
        some = [step for step in steps if one["name"] in (step.kind(True), step.kind(False))]
        lines.append(coverage_row(one["name"], some, "source", entries)[0] + f" {widest(one)} |")
    return "\n".join(lines) + "\n"


def update_page(figures):
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n\n" + figures + "\n" + END + rest.split(END, 1)[1])


def main():
    parser = argparse.ArgumentParser(description="Fits the errors of complete steps to published steps.")
    parser.add_argument("--program", default="build/release/apps/orrery/orrery")
    parser.add_argument("--predictions", help="JSON of `orrery accuracy CORE --predict-only MORE --fit --json`")
    parser.add_argument("--update", action="store_true", help="write data/catalog/step_errors.yaml and docs/bands.md")
    options = parser.parse_args()
    steps = [Step(point) for point in predictions(options)["predictions"] if point.get("models_range_s")]
    entries = fit(steps)
    print(text(entries))
    print(table(steps, entries))
    if options.update:
        TERMS.write_text(text(entries))
        update_page(table(steps, entries))


if __name__ == "__main__":
    main()
