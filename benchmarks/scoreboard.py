#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every published step of data/measured beside its prediction.

Usage: benchmarks/scoreboard.py [--program orrery] [--check | --update]

--check: exit code 1 where a median error is worse by more than half a point than in benchmarks/scoreboard.json, which
--update writes, with the figures and pictures of docs/scoreboard.md, and the two medians that the README names.
"""
import argparse
import collections
import csv
import json
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MEASURED = HERE.parent / "data" / "measured"
PAGE = HERE.parent / "docs" / "scoreboard.md"
README = HERE.parent / "README.md"
PICTURES = HERE.parent / "docs" / "pictures"
BEGIN, END = "<!-- figures: benchmarks/scoreboard.py --update -->", "<!-- end of figures -->"
WORSE = 0.005  # of a median error

# Of three points.
TP2 = "not known: with tp 2 the same model takes a third longer than with tp 4 there, and fewer sequences longer than more"
# Of four points.
GPT3_XL = "not the model that is stated: it took 1.8 times as long as OPT 1.3B, which is said to have the same layers and sizes"
# Why points that are far off probably are so.
CAUSES = [
    ("narayanan21-t2-ZeRO-3", "DeepSpeed's ZeRO-3 of 2021: half the batch takes as long, 4 to 5 trips of all 16-bit weights at 25 GB/s, as if by one of a host's eight adapters"),
    ("vtrain-multi-0015", "not known: one microbatch of 64 sequences takes twice as long as two of 32, and is told to need 39 to 67 of 80 GB"),
    ("vtrain-multi-0041", TP2),
    ("vtrain-multi-0043", TP2),
    ("vtrain-multi-0050", TP2),
    ("neusight-NVIDIA_A100_80GB_PCIe-gpt3_xl", GPT3_XL),
    ("neusight-NVIDIA_H100_80GB_HBM3-gpt3_xl", GPT3_XL),
    ("mosaic", "attention of 2023 (Triton's): between A100 and H100 it is told by one ratio to the second FlashAttention, which is 1.5 on one and 1.9 on the other"),
]


def validate(options, files, *more):
    command = [options.program, "validate", *map(str, files), "--json", "--threads", "0", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"scoreboard: {' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["result"]


def share(value, digits=1):
    return f"{100 * value:.{digits}f} %"


def signed(value):
    return f"{100 * value:+.1f} %"


HEAD = "| {} | points | median | 90 % | signed median | in the 80 % band | half of the band |\n|---|---|---|---|---|---|---|\n"


def row(name, errors):
    inside = share(errors["inside_share"], 0) if errors["with_interval"] else "–"
    width = share(errors["interval_half_width_ratio"]) if errors["with_interval"] else "–"
    return (f"| {name} | {errors['points']:,} | {share(errors['median'])} | {share(errors['p90'])} | "
            f"{signed(errors['signed_median'])} | {inside} | {width} |\n")


def groups(result, trait, least=1):
    rows = [group for group in result["by_trait"] if group["trait"] == trait and group["points"] >= least]
    return HEAD.format(trait) + "".join(row(f"{group['value']}", group) for group in rows)


def leaning(result):
    rows = [group for group in result["by_trait"] if group["points"] >= 10 and abs(group["signed_median_error"]) > 0.05
            and group["trait"] not in ("source", "device", "precision") and group["points"] < result["overall"]["points"]]
    return HEAD.format("group") + "".join(row(f"{group['trait']} {group['value']}", group) for group in rows)


def cause(name):
    return next((text for start, text in CAUSES if name.startswith(start)), "not known")


def worst(result):
    told = sorted((point for point in result["predictions"] if "error_ratio" in point), key=lambda point: -abs(point["error_ratio"]))
    lines = "| point | measured | predicted | off | probable cause |\n|---|---|---|---|---|\n"
    return lines + "".join(f"| `{point['id']}` | {point['measured_s']:.3g} s | {point['predicted_s']:.3g} s | "
                           f"{signed(point['error'])} | {cause(point['id'])} |\n" for point in told[:10])


def without(result):
    lines = "| without | points that change | median | 90 % | signed median |\n|---|---|---|---|---|\n"
    every = result["overall"]
    lines += f"| (nothing) | | {share(every['median'])} | {share(every['p90'])} | {signed(every['signed_median'])} |\n"
    for one in result["ablations"]:
        lines += (f"| `{one['effect']}` | {one['changed']} | {share(one['median'])} | {share(one['p90'])} | "
                  f"{signed(one['signed_median'])} |\n")
    return lines


def rankings(result):
    lines = "| choice | plans | place of the measured best | the first costs |\n|---|---|---|---|\n"
    return lines + "".join(f"| {one['what']} | {one['plans']} | {one['place']} | {signed(one['cost'])} |\n"
                           for one in result["rankings"])


def not_told(result):
    lines = "| reason | points |\n|---|---|\n"
    return lines + "".join(f"| {one['reason']} | {one['points']} |\n" for one in result["not_predicted"])


def histogram(result):
    """Signed errors in steps of 2 %, as SVG."""
    errors = [point["error_ratio"] for point in result["predictions"] if "error_ratio" in point]
    bins = [0] * 52
    for error in errors:
        bins[min(51, max(0, int((error + 0.52) / 0.02)))] += 1
    most, width, height = max(bins), 13, 240
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {52 * width + 60} {height + 70}" font-family="sans-serif" '
             'font-size="12"><style>text{fill:#333}rect{fill:#4878a8}line{stroke:#999}@media (prefers-color-scheme: dark)'
             '{text{fill:#ddd}}</style>',
             f'<text x="30" y="18">Errors of {len(errors)} steps, predicted over measured less 1; a bar for each 2 %, '
             f'the first and last with all beyond</text>']
    for i, count in enumerate(bins):
        tall = round(height * count / most)
        parts.append(f'<rect x="{30 + i * width}" y="{30 + height - tall}" width="{width - 1}" height="{tall}"/>')
    for percent in range(-50, 51, 10):
        x = 30 + (percent + 52) / 2 * width
        parts.append(f'<line x1="{x}" y1="{30 + height}" x2="{x}" y2="{36 + height}"/>'
                     f'<text x="{x}" y="{52 + height}" text-anchor="middle">{percent:+d} %</text>')
    return "\n".join(parts) + "\n</svg>\n"


def factors(fit):
    lines = "| device | bits of a product's first input | factor | 80 % of steps say | steps | sources |\n|---|---|---|---|---|---|\n"
    for one in fit["factors"]:
        lines += (f"| {one['device'] or 'any other'} | {one['bits']} | {one['factor']:.3f} | {one['factor'] * (1 + one['least']):.2f} to "
                  f"{one['factor'] * (1 + one['most']):.2f} | {one['points']} | {one['sources']} |\n")
    return lines


def three_ways(fit, shipped, none):
    def rows(pick):
        return (row("each source by factors of the others", pick(fit)) + row("shipped: factors of all", pick(shipped)) +
                row("no factors", pick(none)))
    return HEAD.format("the core, factors") + rows(lambda result: result["overall"]) + "\n" + \
        HEAD.format("the core, every source alike") + rows(lambda result: result["equal_sources"])


def figures(core, every, seconds, fit, none):
    return "\n".join([
        "## Figures", "",
        f"Every point, the core among them, predicted in {seconds:.0f} s of processor time.", "",
        HEAD.format("points") + row("core", core["overall"]) + row("core, every source alike", core["equal_sources"]) +
        row("every point", every["overall"]) + row("every point, every source alike", every["equal_sources"]),
        "### With and without factors", "",
        "What is left over when all else is told is one factor for a device and a width of products (`orrery validate --fit`), never for "
        "a model, a plan or a source. The catalogue has those that all sources together say, so that the figures of this page but for "
        "the first row below saw the steps they are about; in that row each source is told by the others alone.", "",
        three_ways(fit, core, none), factors(fit),
        "![predicted against measured steps](pictures/scoreboard.svg)", "",
        "![distribution of errors](pictures/scoreboard-errors.svg)", "",
        "### The core, by source, device, size", "",
        groups(core, "source"), groups(core, "device and precision"), groups(core, "size"), groups(core, "kind"),
        "### The core, by plan: groups of 10 and more that lean by more than 5 %", "", leaning(core),
        "### What each effect is worth", "",
        "The core again, with one effect switched off at a time (`--effects`).", "", without(core),
        "### The ten that are most off", "", worst(core),
        "### Choosing a plan", "",
        "Where five and more plans of one model were measured on as many devices, for the same work: which place the measured best has "
        "among predictions, and what the predicted best costs beyond it, as measured.", "", rankings(core),
        "### Every point, by source and device", "", groups(every, "source"), groups(every, "device and precision"),
        "### Not predicted", "", not_told(every)])


def median(weighted):
    """Of (value, weight): half of the weight lies on either side; between two if none is in the middle."""
    weighted = sorted(weighted)
    half = sum(weight for _, weight in weighted) / 2
    below = 0
    for at, (value, weight) in enumerate(weighted):
        below += weight
        if abs(below - half) < 1e-9 and at + 1 < len(weighted):
            return (value + weighted[at + 1][0]) / 2
        if below > half:
            return value
    return 0


def medians(points, cores):
    """Of absolute errors, by what is watched; `cores`: ids of the core."""
    told = [point for point in points if "error_ratio" in point]
    made = {}
    for name, some in (("core", [point for point in told if point["id"] in cores]), ("every point", told)):
        if name == "core":
            of_source = collections.Counter(point["source"] for point in some)
            made["core"] = median([(abs(point["error_ratio"]), 1) for point in some])
            made["core, sources alike"] = median([(abs(point["error_ratio"]), 1 / of_source[point["source"]]) for point in some])
        for trait in ("source", "device and precision"):
            groups = collections.defaultdict(list)
            for point in some:
                groups[point["point_traits"][trait]].append((abs(point["error_ratio"]), 1))
            made.update({f"{name}: {value}": median(errors) for value, errors in groups.items() if len(errors) >= 10})
    return {name: round(value, 5) for name, value in made.items()}


def ids_of(files):
    return {row["id"] for file in files for row in csv.DictReader(file.open())}


def check(found):
    kept = json.loads((HERE / "scoreboard.json").read_text())
    worse = [name for name, value in kept.items() if found.get(name, 1) > value + WORSE]
    for name, value in kept.items():
        print(f"{name:45} {share(found.get(name, 1)):>8}  was {share(value):>8}{'  WORSE' if name in worse else ''}")
    return 1 if worse else 0


def tell_readme(core, fit):
    """The core's median, and by factors that other sources say."""
    text, told = re.subn(r"(steps are predicted within )[\d.]+ %( in the median\s+\(\[)[\d.]+ %( by what other sources say)",
                         lambda is_: f"{is_[1]}{share(core['all']['median'])}{is_[2]}{share(fit['all']['median'])}{is_[3]}",
                         README.read_text())
    if told != 1:
        sys.exit(f"{README}: it does not name the core's medians once")
    README.write_text(text)


def main():
    parser = argparse.ArgumentParser(description="Published steps beside predicted ones.")
    parser.add_argument("--program", default="build/release/apps/orrery/orrery")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="exit code 1 where a median is worse than it was")
    what.add_argument("--update", action="store_true", help="write figures, pictures and medians")
    options = parser.parse_args()
    cores, mores = sorted((MEASURED / "core").glob("*.csv")), sorted((MEASURED / "more").glob("*.csv"))
    every = validate(options, cores + mores)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = medians(every["predictions"], ids_of(cores))
    if options.check:
        sys.exit(check(found))
    if options.update:
        core = validate(options, cores, "--effects", "--plot", str(PICTURES / "scoreboard.svg"), "--force")
        fit = validate(options, cores, "--fit")
        none = validate(options, cores, "--without", "in_step_factors")
        (PICTURES / "scoreboard-errors.svg").write_text(histogram(core))
        tell_readme(core, fit)
        (HERE / "scoreboard.json").write_text(json.dumps(found, indent=1) + "\n")
        before, rest = PAGE.read_text().split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(before + BEGIN + "\n\n" + figures(core, every, used.ru_utime + used.ru_stime, fit, none) + "\n" + END + after)
    for name, value in found.items():
        print(f"{name:45} {share(value):>8}")


if __name__ == "__main__":
    main()
