#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every published step of data/measured with its prediction.

Usage: benchmarks/scoreboard.py [--program orrery] [--check | --update]

--check: exit code 1 if a median error is more than half a point above the value in benchmarks/scoreboard.json.
--update: writes benchmarks/scoreboard.json, the figures and pictures of docs/scoreboard.md, and the two medians in the
README.
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
WORSE = 0.005  # accepted increase of a median error

# Cause of three points.
TP2 = "unknown: with tp 2 the same model takes a third longer than with tp 4, and fewer sequences take longer than more"
# Cause of four points.
GPT3_XL = "not the stated model: it took 1.8 times as long as OPT 1.3B, for which the same layers and sizes are stated"
# Probable causes of the largest errors, by the start of the point's id.
CAUSES = [
    ("narayanan21-t2-ZeRO-3", "DeepSpeed's ZeRO-3 of 2021: half the batch takes as long. The time is that of 4 to 5 transfers of all 16-bit weights at 25 GB/s, the bandwidth of one of a host's eight adapters"),
    ("vtrain-multi-0015", "unknown: one microbatch of 64 sequences takes twice as long as two of 32; its predicted memory is 39 to 67 of 80 GB"),
    ("vtrain-multi-0041", TP2),
    ("vtrain-multi-0043", TP2),
    ("vtrain-multi-0050", TP2),
    ("neusight-NVIDIA_A100_80GB_PCIe-gpt3_xl", GPT3_XL),
    ("neusight-NVIDIA_H100_80GB_HBM3-gpt3_xl", GPT3_XL),
    ("mosaic", "Triton attention of 2023: the model uses one ratio to FlashAttention-2 for both GPUs; the steps indicate 1.5 on A100 and 1.9 on H100"),
]


def validate(options, files, *more):
    command = [options.program, "accuracy", *map(str, files), "--json", "--threads", "0", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"scoreboard: {' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["result"]


def share(value, digits=1):
    return f"{100 * value:.{digits}f} %"


def signed(value):
    return f"{100 * value:+.1f} %"


HEAD = "| {} | points | median | 90 % | signed median | in the 80 % interval | half-width |\n|---|---|---|---|---|---|---|\n"


def row(name, errors):
    inside = share(errors["inside_share"], 0) if errors["with_interval"] else "–"
    width = share(errors["interval_half_width_ratio"]) if errors["with_interval"] else "–"
    return (f"| {name} | {errors['points']:,} | {share(errors['median_error'])} | {share(errors['p90_error'])} | "
            f"{signed(errors['signed_median_error'])} | {inside} | {width} |\n")


def groups(result, trait):
    rows = [group for group in result["by_trait"] if group["trait"] == trait]
    return HEAD.format(trait) + "".join(row(group["trait_value"], group) for group in rows)


def biased(result):
    rows = [group for group in result["by_trait"] if group["points"] >= 10 and abs(group["signed_median_error"]) > 0.05
            and group["trait"] not in ("source", "device", "precision") and group["points"] < result["overall"]["points"]]
    return HEAD.format("group") + "".join(row(f"{group['trait']} {group['trait_value']}", group) for group in rows)


def cause(name):
    return next((text for start, text in CAUSES if name.startswith(start)), "unknown")


def worst(result):
    predicted = sorted((point for point in result["predictions"] if "error_ratio" in point), key=lambda point: -abs(point["error_ratio"]))
    lines = "| point | measured | predicted | error | probable cause |\n|---|---|---|---|---|\n"
    return lines + "".join(f"| `{point['id']}` | {point['measured_s']:.3g} s | {point['predicted_s']:.3g} s | "
                           f"{signed(point['error_ratio'])} | {cause(point['id'])} |\n" for point in predicted[:10])


def quantile(values, share_of):
    """Between the nearest values, linearly."""
    values = sorted(values)
    place = share_of * (len(values) - 1)
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


def error_cells(errors):
    return f"{share(median([(abs(error), 1) for error in errors]))} | {share(quantile(map(abs, errors), 0.9))} | {signed(median([(error, 1) for error in errors]))}"


def without(result, cores):
    """A row for each effect: errors without it, of the core and of every point."""
    predicted = [point for point in result["predictions"] if "error_ratio" in point]
    samples = ([point for point in predicted if point["id"] in cores], predicted)
    lines = ("| without | core: changed points | median | 90 % | signed median | every point: changed points | median | 90 % | signed median |\n"
             "|---|---|---|---|---|---|---|---|---|\n")

    def line(name, effect):
        cells = []
        for points in samples:
            changed = [point for point in points if effect in point["without_s"]]
            errors = [point["without_s"].get(effect, point["predicted_s"]) / point["measured_s"] - 1 for point in points]
            cells.append(f"{len(changed) if effect else ''} | {error_cells(errors)}")
        return f"| {name} | {' | '.join(cells)} |\n"
    return lines + line("(none)", None) + "".join(line(f"`{one['effect']}`", one["effect"]) for one in result["ablations"])


def rankings(result):
    lines = "| choice | plans | predicted rank of the measured best | slowdown |\n|---|---|---|---|\n"
    return lines + "".join(f"| {one['what']} | {one['plans']} | {one['place']} | {signed(one['slowdown_ratio'])} |\n"
                           for one in result["rankings"])


def not_predicted(result):
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
             f'<text x="30" y="18">Errors of {len(errors)} steps, predicted / measured - 1; one bar per 2 %; '
             f'the outer bars include all larger errors</text>']
    for i, count in enumerate(bins):
        tall = round(height * count / most)
        parts.append(f'<rect x="{30 + i * width}" y="{30 + height - tall}" width="{width - 1}" height="{tall}"/>')
    for percent in range(-50, 51, 10):
        x = 30 + (percent + 52) / 2 * width
        parts.append(f'<line x1="{x}" y1="{30 + height}" x2="{x}" y2="{36 + height}"/>'
                     f'<text x="{x}" y="{52 + height}" text-anchor="middle">{percent:+d} %</text>')
    return "\n".join(parts) + "\n</svg>\n"


def factors(fit):
    lines = "| device | bits of a product's first input | factor | 80 % interval | steps | sources |\n|---|---|---|---|---|---|\n"
    for one in fit["factors"]:
        lines += (f"| {one['device'] or 'any other'} | {one['bits']} | {one['factor']:.3f} | {one['factor'] * (1 + one['low_error']):.2f} to "
                  f"{one['factor'] * (1 + one['high_error']):.2f} | {one['points']} | {one['sources']} |\n")
    return lines


def with_and_without_factors(fit, shipped, none):
    def rows(pick):
        return (row("factors of the other sources", pick(fit)) + row("shipped factors, of all sources", pick(shipped)) +
                row("no factors", pick(none)))
    return HEAD.format("core") + rows(lambda result: result["overall"]) + "\n" + \
        HEAD.format("core, sources weighted equally") + rows(lambda result: result["equal_sources"])


def generations():
    """The architecture of each device of the catalog."""
    found = {}
    for file in sorted((MEASURED.parent / "catalog" / "devices").glob("*.yaml")):
        name = ""
        for line in file.read_text().splitlines():
            if line.startswith("- name: "):
                name = line.removeprefix("- name: ").strip()
            elif line.startswith("  architecture: "):
                found[name] = line.removeprefix("  architecture: ").strip()
    return found


def release_range(release):
    """Megatron-Bridge's configurations of experts changed with 26.06."""
    return "not stated" if release == "unstated" else "since 26.06" if release >= "26.06" else "to 26.04.01"


def trust(errors):
    """In words: how far to trust predictions with these errors."""
    if len(errors) < 3:
        return f"{'one step' if len(errors) == 1 else 'two steps'} within {share(max(map(abs, errors)), 0)}: too few to trust"
    many = len(errors) >= 10
    within = quantile(map(abs, errors), 0.9) if many else max(map(abs, errors))
    words = f"trust it to {share(within, 0)}" + (" (nine steps of ten)" if many else "")
    bias = median([(error, 1) for error in errors])
    if abs(bias) > 0.05:
        words += f": too {'short' if bias < 0 else 'long'}, by {share(abs(bias), 0)} in the median"
    elif within > 0.1:
        short, long = quantile(errors, 0.1) < -0.05, quantile(errors, 0.9) > 0.05
        words += ": errors of both signs" if short and long else ": some are too short" if short else ": some are too long"
    return words


def by_family(every):
    """Errors by model family, GPU generation and release, and a sentence for each group."""
    architectures = generations()
    groups = collections.defaultdict(list)
    for point in every["predictions"]:
        if "error_ratio" not in point:
            continue
        traits = point["point_traits"]
        name = traits["family"] + (" (adapters)" if traits["kind"] == "adapters" else "")
        groups[name, architectures.get(traits["device"], traits["device"]), release_range(traits["release"])].append(point)
    lines = ("| family | GPU generation | releases | steps | median | 90 % | signed median | in the 80 % interval | in words |\n"
             "|---|---|---|---|---|---|---|---|---|\n")
    for (name, generation, releases), points in sorted(groups.items()):
        errors = [point["error_ratio"] for point in points]
        ranges = [(point["measured_s"], *point["predicted_range_s"]) for point in points if point["predicted_range_s"]]
        inside = share(sum(low <= value <= high for value, low, high in ranges) / len(ranges), 0) if ranges else "–"
        lines += f"| {name} | {generation} | {releases} | {len(errors)} | {error_cells(errors)} | {inside} | {trust(errors)} |\n"
    return lines


def figures(core, every, cores, seconds, fit, none):
    return "\n".join([
        "## Figures", "",
        f"CPU time for the predictions of every point, including the core: {seconds:.0f} s.", "",
        HEAD.format("points") + row("core", core["overall"]) + row("core, sources weighted equally", core["equal_sources"]) +
        row("every point", every["overall"]) + row("every point, sources weighted equally", every["equal_sources"]),
        "### With and without factors", "",
        "`orrery accuracy --fit` fits one factor per device and width of products. No factor depends on a model, a plan or a source. The "
        "catalog contains the factors of all sources together, so the figures on this page include the steps to which the factors are "
        "fitted. The exception is the first row of the next two tables: there each source is predicted with the factors of the other "
        "sources only.", "",
        with_and_without_factors(fit, core, none), factors(fit),
        "![predicted against measured steps](pictures/scoreboard.svg)", "",
        "![distribution of errors](pictures/scoreboard-errors.svg)", "",
        "### Core by source, device and size", "",
        groups(core, "source"), groups(core, "device and precision"), groups(core, "size"), groups(core, "kind"),
        "### Core by plan: groups of at least 10 points with a bias above 5 %", "", biased(core),
        "### Errors without one effect", "",
        "Errors with one effect disabled at a time (`--effects`). A point is changed if its step changes by more than 0.1 %.", "",
        without(every, cores),
        "### Ten largest errors", "", worst(core),
        "### Plan ranking", "",
        "Each row compares at least five measured plans of one model on the same number of devices, for the same work. It shows the "
        "predicted rank of the plan that is measured as the fastest. The slowdown is the measured time of the predicted best plan, "
        "compared with the measured best.", "", rankings(core),
        "### Every point by source and device", "", groups(every, "source"), groups(every, "device and precision"),
        "### Every point by model family, GPU generation and release", "",
        "Only Megatron-Bridge's steps of 2025 and 2026 state a [release](reference/workload.md#kernels), which decides how experts run. "
        "Known causes of the largest errors are below.", "", by_family(every),
        "### Not predicted", "", not_predicted(every)])


def median(weighted):
    """Weighted median of (value, weight) pairs: the mean of two values if half of the weight ends between them."""
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
    """Median absolute errors by group, for groups of at least 10 points. `cores`: ids of the core."""
    predicted = [point for point in points if "error_ratio" in point]
    made = {}
    for name, some in (("core", [point for point in predicted if point["id"] in cores]), ("every point", predicted)):
        if name == "core":
            of_source = collections.Counter(point["source"] for point in some)
            made["core"] = median([(abs(point["error_ratio"]), 1) for point in some])
            made["core, sources weighted equally"] = median([(abs(point["error_ratio"]), 1 / of_source[point["source"]]) for point in some])
        for trait in ("source", "device and precision"):
            groups = collections.defaultdict(list)
            for point in some:
                groups[point["point_traits"][trait]].append((abs(point["error_ratio"]), 1))
            made.update({f"{name}: {value}": median(errors) for value, errors in groups.items() if len(errors) >= 10})
    return {name: round(value, 5) for name, value in made.items()}


def ids_of(files):
    return {row["id"] for file in files for row in csv.DictReader(file.open())}


def check(found):
    stored = json.loads((HERE / "scoreboard.json").read_text())
    worse = [name for name, value in stored.items() if found.get(name, 1) > value + WORSE]
    for name, value in stored.items():
        print(f"{name:45} {share(found.get(name, 1)):>8}  stored {share(value):>8}{'  WORSE' if name in worse else ''}")
    return 1 if worse else 0


def update_readme(core, fit):
    """Writes the core's median error, and its median error with the factors of the other sources."""
    text, replaced = re.subn(r"(median error over )[\d,]+( published training steps is )[\d.]+ %(\s+\(\[)[\d.]+ %",
                         lambda is_: f"{is_[1]}{core['overall']['points']:,}{is_[2]}{share(core['overall']['median_error'])}"
                                     f"{is_[3]}{share(fit['overall']['median_error'])}",
                         README.read_text())
    if replaced != 1:
        sys.exit(f"scoreboard: {README}: the sentence with the two medians occurs {replaced} times instead of once; "
                 "adapt update_readme() to its wording")
    README.write_text(text)


def main():
    parser = argparse.ArgumentParser(description="Compares published steps with predicted ones.")
    parser.add_argument("--program", default="build/release/apps/orrery/orrery")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="exit code 1 if a median error is worse than the stored one")
    what.add_argument("--update", action="store_true", help="write figures, pictures and medians")
    options = parser.parse_args()
    cores, mores = sorted((MEASURED / "core").glob("*.csv")), sorted((MEASURED / "more").glob("*.[cj]s*"))
    every = validate(options, cores + mores)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = medians(every["predictions"], ids_of(cores))
    if options.check:
        sys.exit(check(found))
    if options.update:
        # Points whose job an effect leaves unchanged are not simulated again, so all points take half as long as all times
        # the number of effects.
        effects = validate(options, cores + mores, "--effects")
        core = validate(options, cores, "--plot", str(PICTURES / "scoreboard.svg"), "--force")
        fit = validate(options, cores, "--fit")
        none = validate(options, cores, "--without", "in_step_factors")
        (PICTURES / "scoreboard-errors.svg").write_text(histogram(core))
        update_readme(core, fit)
        (HERE / "scoreboard.json").write_text(json.dumps(found, indent=1) + "\n")
        before, rest = PAGE.read_text().split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(before + BEGIN + "\n\n" + figures(core, effects, ids_of(cores), used.ru_utime + used.ru_stime, fit, none) + "\n" + END + after)
    for name, value in found.items():
        print(f"{name:45} {share(value):>8}")


if __name__ == "__main__":
    main()
