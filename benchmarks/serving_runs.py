#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares predicted serving runs with measured ones: vLLM on RTX PRO 6000, RTX 4090 and H100.

  serving_runs.py [--program orrery] [--data FOLDER] [--check | --update]

Reads data/measured/serving/runs.json. Runs with a file of requests need FOLDER, which has the files that it names; without
it, they are skipped. Prints a table of signed errors.

Three constants of src/orrery/study/serving/engine_setup.cc were chosen on these runs: the time per request (3 ms) on the
times to the first token of "H100, Llama 2 7B, codegen, 5/s"; the overlap of kernels (1.5 us) on the latencies of that run,
after its effect on all other runs was seen; the memory of the context (430 MB) on the number of blocks of the RTX 4090,
which is therefore no test. The two runs with files use no time per request.

--check: exit code 1 if an error grew by more than half a point over serving_runs.json. CI does not run it: two runs need
FOLDER.
--update: writes serving_runs.json and the table of docs/serving.md.
"""
import argparse
import gzip
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "measured" / "serving"
PAGE, STORED = HERE.parent / "docs" / "serving.md", HERE / "serving_runs.json"
BEGIN, END = "<!-- figures: benchmarks/serving_runs.py --update -->", "<!-- end of serving runs -->"
WORSE = 0.005
# Figures of a run: key in runs.json without "_s", key in the answer, statistic.
FIGURES = (("ttft_mean", "ttft", "mean_s"), ("ttft_p50", "ttft", "p50_s"), ("ttft_p90", "ttft", "p90_s"),
           ("tpot_mean", "tpot", "mean_s"), ("tpot_p50", "tpot", "p50_s"), ("tpot_p90", "tpot", "p90_s"),
           ("latency_mean", "request_latency", "mean_s"), ("latency_p50", "request_latency", "p50_s"),
           ("latency_p90", "request_latency", "p90_s"))
SHOWN = ("ttft_mean", "ttft_p50", "tpot_mean", "tpot_p90", "latency_mean", "latency_p50", "latency_p90")


def percentile(values, share):
    """The nearest rank."""
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def add_measured(run, rows):
    """Adds the figures of a run from the times of its requests, on the engine's clock."""
    figures = {"ttft": [row["first_token_ts"] - row["queued_ts"] for row in rows],
               "latency": [row["last_token_ts"] - row["queued_ts"] for row in rows],
               "tpot": [(row["last_token_ts"] - row["first_token_ts"]) / (row["output_toks"] - 1)
                        for row in rows if row["output_toks"] > 1]}
    for name, values in figures.items():
        run["measured"].update({f"{name}_mean_s": statistics.mean(values), f"{name}_p50_s": percentile(values, 0.5),
                                f"{name}_p90_s": percentile(values, 0.9)})


def requests_file(options, run, folder):
    """The requests of a run, as a file: its own, or prompts that repeat in turn at a constant rate."""
    if "file" in run:
        path = pathlib.Path(folder) / "requests.jsonl"
        text = gzip.decompress((options.data / run["file"]).read_bytes()).decode()
        path.write_text(text, encoding="utf-8")
        add_measured(run, [json.loads(line) for line in text.splitlines()])
        return path
    load = run["load"]
    path = pathlib.Path(folder) / "requests.csv"
    rate = load["requests_per_s"]
    count = int(rate * load["duration_s"])
    path.write_text("arrival,input,output,prefix\n" + "".join(
        f"{i / rate:.6f},{load['input_tokens']},{load['output_tokens']},{i % load['distinct_prompts']}\n" for i in range(count)),
                    encoding="utf-8")
    return path


def predicted(options, run, folder):
    words = [options.program, "infer", "--requests", str(requests_file(options, run, folder)), "--gpu", run["device"],
             "--model", run["model"], *run["arguments"], "--json", "-q"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"serving_runs: {' '.join(words)}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)["result"]


def errors_of(run, answer):
    measured = run["measured"]
    errors = {name: answer[key][part] / measured[f"{name}_s"] - 1 for name, key, part in FIGURES if f"{name}_s" in measured}
    if "blocks" in run["measured"]:
        errors["blocks"] = answer["cache_blocks"] / run["measured"]["blocks"] - 1
    return errors


def table_of(rows):
    text = "| run | fitted | TTFT, mean | p50 | TPOT, mean | p90 | latency, mean | p50 | p90 | blocks |\n" + "|---" * 10 + "|\n"
    for run, errors in rows:
        cells = [run["name"], run.get("fitted", "nothing")]
        cells += [f"{100 * errors[name]:+.1f} %" if name in errors else "" for name in (*SHOWN, "blocks")]
        text += "| " + " | ".join(cells) + " |\n"
    return text


def check(rows):
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    bad = 0
    for run, errors in rows:
        for name, error in errors.items():
            before = stored[run["name"]][name]
            if abs(error) > abs(before) + WORSE:
                print(f"serving_runs: {run['name']}, {name}: {100 * error:+.1f} %, stored {100 * before:+.1f} %")
                bad = 1
    return bad


def update(rows, text):
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    stored = {run["name"]: {name: round(value, 5) for name, value in errors.items()} for run, errors in rows}
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(HERE.parent / "build" / "release" / "apps" / "orrery" / "orrery"))
    parser.add_argument("--data", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for run in json.loads((DATA / "runs.json").read_text(encoding="utf-8"))["runs"]:
            if "file" in run and options.data is None:
                print(f"serving_runs: {run['name']}: skipped, needs --data", file=sys.stderr)
                continue
            answer = predicted(options, run, folder)
            rows.append((run, errors_of(run, answer)))
    text = table_of(rows)
    print(text)
    if options.update:
        update(rows, text)
    return check(rows) if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
