# SPDX-License-Identifier: Apache-2.0
"""Inputs of the readers of files, changed at random: the program ends soon, in little memory, with an exit code of the
table, and a failure prints one error with its code.

The seeds are the examples and the corpora of the fuzz targets; each corpus is used, or listed with the reason why not.
Each change is drawn from the number of the case, so that a case can be repeated: mutations_test.py CASE [CASE ...] prints
its command and stores its input. Short form: one case in 29, about 4 s of a processor; with ORRERY_TEST_EFFORT=full all
5,200 cases, about 90 s.
"""
import concurrent.futures
import gzip
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from exit_codes import documented_codes  # noqa: E402  # pylint: disable=wrong-import-position

CORPUS = ROOT / "tests" / "fuzz" / "corpus"
PROGRAM = os.environ.get("ORRERY_PROGRAM", "")
CASES = 5200
SHORT_STEP = 29  # prime to the numbers of readers and changes, so that all of them are drawn
LIMIT_S = 30  # of a processor: longer is a hang
LIMIT_BYTES = 2 << 30
OVER_LIMIT = "out of memory"  # what the program prints when an allocation fails
LARGEST_SEED = 200_000

# A reader: the files that it reads, and the command; {} is the changed file, {out} a new one, and @FILE a copy of a file
# in which CHANGED is the changed file.
READERS = [
    ("Kineto", ["tests/fuzz/corpus/kineto_fuzz/*"], ["trace", "info", "{}"]),
    ("Kineto, replayed", ["tests/fuzz/corpus/kineto_fuzz/*"], ["trace", "replay", "{}"]),
    ("Kineto, converted", ["tests/fuzz/corpus/kineto_fuzz/*"], ["trace", "convert", "{}", "-o", "{out}"]),
    ("views", ["tests/fuzz/corpus/kineto_fuzz/*"], ["trace", "info", "{}", "--view", "all"]),
    ("execution trace", ["tests/fuzz/corpus/pytorch_et_fuzz/*"], ["trace", "info", "{}"]),
    ("execution trace, converted", ["tests/fuzz/corpus/pytorch_et_fuzz/*"],
     ["trace", "convert", "{}", "-o", "{out}"]),
    ("Nsight Systems", ["tests/fuzz/corpus/nsys_fuzz/*"], ["trace", "info", "{}"]),
    ("rocprofv3", ["tests/fuzz/corpus/rocpd_fuzz/*"], ["trace", "info", "{}"]),
    ("pftrace", ["tests/fuzz/corpus/pftrace_fuzz/*"], ["trace", "info", "{}"]),
    ("XPlane", ["tests/fuzz/corpus/xplane_fuzz/*"], ["trace", "info", "{}"]),
    ("RunMetadata", ["tests/fuzz/corpus/run_metadata_fuzz/*"], ["trace", "info", "{}"]),
    ("RunMetadata, converted", ["tests/fuzz/corpus/run_metadata_fuzz/*"], ["trace", "convert", "{}", "-o", "{out}"]),
    ("XPlane, converted", ["tests/fuzz/corpus/xplane_fuzz/*"], ["trace", "convert", "{}", "-o", "{out}"]),
    ("flight recorder", ["tests/fuzz/corpus/flight_recorder_fuzz/*"], ["trace", "info", "{}"]),
    ("archive", ["tests/fuzz/corpus/archive_fuzz/*", "data/demo/ddp_transformer/*.json.gz"], ["trace", "info", "{}"]),
    ("Chakra", ["tests/fuzz/corpus/chakra_fuzz/*", "examples/step/step.0.et"], ["trace", "validate", "{}"]),
    ("Chakra, simulated", ["tests/fuzz/corpus/chakra_fuzz/*", "examples/memory/*.et"],
     ["run", "{}", "--cluster", "h100-sxm:1", "--repair"]),
    ("Chakra, exported", ["examples/step/step.0.et", "tests/fuzz/corpus/chakra_fuzz/*"],
     ["trace", "convert", "{}", "-o", "{out}.json"]),
    ("Chakra, anonymized", ["examples/step/step.0.et"], ["trace", "anonymize", "{}", "-o", "{out}"]),
    ("ASTRA-sim text", ["tests/fuzz/corpus/text_fuzz/*", "tests/mutations/aicb.txt"],
     ["run", "{}", "--cluster", "h100-sxm:8"]),
    ("AICB, counted", ["tests/mutations/aicb.txt"], ["job", "count", "{}"]),
    ("communication records", ["tests/fuzz/corpus/import_fuzz/*"], ["trace", "convert", "{}", "-o", "{out}"]),
    ("groups", ["tests/fuzz/corpus/groups_fuzz/*"],
     ["run", "examples/step/step", "--groups", "{}", "--cluster", "h100-sxm:8"]),
    ("job", ["tests/fuzz/corpus/spec_fuzz/*", "examples/workloads/vit-h-14-64.yaml"], ["job", "count", "{}"]),
    ("compiled program", ["tests/fuzz/corpus/hlo_text_fuzz/*", "tests/fuzz/corpus/stablehlo_fuzz/*"],
     ["job", "count", "{}"]),
    ("compiled program, simulated", ["tests/fuzz/corpus/hlo_text_fuzz/*", "tests/fuzz/corpus/stablehlo_fuzz/*"],
     ["run", "--spec", "{}", "--cluster", "tpu-v5p:4"]),
    ("job of another tool", ["tests/fuzz/corpus/import_spec_fuzz/*"], ["job", "count", "{}", "--dp", "8"]),
    ("cluster", ["tests/fuzz/corpus/cluster_fuzz/*", "examples/clusters/dgx-h100-8.yaml"],
     ["network", "show", "{}"]),
    ("cluster, simulated", ["examples/clusters/dgx-h100-8.yaml", "examples/clusters/mi300x-8.yaml"],
     ["run", "examples/step/step", "--cluster", "{}"]),
    ("fabric", ["examples/fabrics/fat-tree-64.yaml", "examples/fabrics/unlike-hosts.yaml",
                "examples/fabrics/rail-optimized-64.yaml"], ["network", "show", "{}"]),
    ("topology", ["tests/fuzz/corpus/topology_*_fuzz/*"], ["network", "show", "{}"]),
    ("ASTRA-sim network", ["tests/fuzz/corpus/astra_network_fuzz/*", "examples/astra/network.yml"],
     ["run", "examples/astra/all_reduce", "--astra-network", "{}", "--astra-system", "examples/astra/system.json"]),
    ("ASTRA-sim system", ["tests/fuzz/corpus/astra_system_fuzz/*", "examples/astra/system.json"],
     ["run", "examples/astra/all_reduce", "--astra-network", "examples/astra/network.yml", "--astra-system", "{}"]),
    ("ASTRA-sim memory", ["tests/fuzz/corpus/astra_memory_fuzz/*", "examples/astra/memory.json"],
     ["run", "examples/astra/all_reduce", "--astra-network", "examples/astra/network.yml", "--astra-system",
      "examples/astra/system.json", "--astra-memory", "{}"]),
    ("nccl-tests", ["tests/fuzz/corpus/nccl_tests_fuzz/*", "tests/fuzz/corpus/nccl_tests_json_fuzz/*",
                    "examples/calibrate/*.log"], ["calibrate", "network", "{}", "--device", "h100-sxm", "-o", "-"]),
    ("NCCL Inspector", ["tests/fuzz/corpus/inspector_fuzz/*", "tests/fuzz/corpus/measured_csv_fuzz/*"],
     ["calibrate", "network", "{}", "--device", "h100-sxm", "-o", "-"]),
    ("plan of a collective", ["tests/fuzz/corpus/plan_*_fuzz/*", "examples/plans/*.xml"],
     ["collective", "check", "{}"]),
    ("run file", ["tests/fuzz/corpus/run_file_fuzz/*"], ["report", "{}"]),
    ("search space", ["tests/mutations/space.yaml"],
     ["search", "{}", "--method", "estimate", "--threads", "1"]),
    ("measured steps", ["tests/fuzz/corpus/measured_points_fuzz/*"], ["accuracy", "{}"]),
    ("connection matrix", ["tests/fuzz/corpus/connection_matrix_fuzz/*", "examples/messages/relay.cm"],
     ["run", "{}", "--cluster", "h100-sxm:8"]),
    ("flows", ["tests/fuzz/corpus/flow_list_fuzz/*", "examples/messages/incast-flows.txt"],
     ["run", "{}", "--cluster", "h100-sxm:8"]),
    ("GOAL", ["tests/fuzz/corpus/goal_fuzz/*", "examples/messages/two-stages.goal"],
     ["run", "{}", "--cluster", "h100-sxm:2"]),
    ("FlexFlow", ["tests/fuzz/corpus/flexflow_fuzz/*"], ["run", "{}", "--cluster", "h100-sxm:2"]),
    ("cost graph", ["tests/fuzz/corpus/cost_graph_fuzz/*"], ["run", "{}", "--cluster", "h100-sxm:1"]),
    ("requests", ["tests/fuzz/corpus/request_file_fuzz/*"], ["infer", "--model", "llama-3.1-8b", "--requests", "{}"]),
    ("tuner", ["tests/fuzz/corpus/tuner_file_fuzz/*"],
     ["run", "examples/step/step", "--cluster", "@tests/mutations/tuned.yaml"]),
    ("curves", ["tests/mutations/curves.yaml", "tests/fuzz/corpus/curve_file_fuzz/*"],
     ["run", "examples/step/step", "--cluster", "@tests/mutations/measured.yaml"]),
    ("data sheets", ["tests/fuzz/corpus/silicon_file_fuzz/*"],
     ["calibrate", "compute", "examples/kernels/made-up.csv", "--device-sheets", "{}", "--device", "h100-sxm", "-o", "-"]),
    ("model of kernel times", ["tests/mutations/kernels.model", "tests/fuzz/corpus/learned_model_file_fuzz/*",
                               "tests/fuzz/corpus/net_model_file_fuzz/*"],
     ["kernels", "gemm", "64", "64", "64", "--device", "h100-sxm", "--kernel-model", "{}"]),
    ("model of lookups", ["tests/fuzz/corpus/lookup_net_fuzz/*"],
     ["dlrm", "lookup", "time", "tests/fuzz/corpus/lookups_fuzz/bags.txt", "--rows", "1000", "--features", "64",
      "--device", "h100-sxm", "--lookup-model", "{}"]),
    ("indices", ["tests/fuzz/corpus/lookups_fuzz/*"], ["dlrm", "lookup", "histogram", "{}"]),
    ("layers of a systolic array", ["tests/fuzz/corpus/systolic_layers_fuzz/*", "examples/kernels/two-layers.csv"],
     ["kernels", "layers", "{}", "--systolic", "examples/kernels/array.cfg"]),
    ("table of kernels", ["tests/fuzz/corpus/table_file_fuzz/*", "examples/kernels/made-up.csv"],
     ["kernels", "gemm", "64", "64", "64", "--table", "{}"]),
    ("systolic array", ["tests/fuzz/corpus/systolic_config_fuzz/*", "examples/kernels/array.cfg"],
     ["kernels", "gemm", "64", "64", "64", "--systolic", "{}"]),
    ("embedding tables", ["tests/fuzz/corpus/embedding_tables_fuzz/*", "examples/tables.csv"],
     ["dlrm", "shard", "{}"]),
    ("variability", ["tests/fuzz/corpus/variability_fuzz/*", "examples/variability/*.yaml"],
     ["run", "examples/step/step", "--cluster", "h100-sxm:8", "--variability", "{}", "--draws", "4"]),
]

# Corpora that no command reads as files.
UNUSED_CORPORA = {
    "learned_traces_fuzz": "no command reads what was learned of traces yet",
    "measured_lookups_fuzz": "'dlrm lookup fit' trains networks for minutes",
    "operators_fuzz": "operators as lines of text, a format of the fuzz target alone",
    "plain_yaml_fuzz": "the reader of the web page's module; the program itself reads YAML with yaml-cpp",
    "planner_fuzz": "'bench' needs PyTorch; its execution traces have the reader of pytorch_et_fuzz",
    "run_page_fuzz": "names in a run, a format of the fuzz target alone",
    "space_file_fuzz": "spaces and stored points whose values a search cannot run",
}

# Seeds of these readers have no checksum at their end: without one, each change would only reach the check of it.
WITH_CHECKSUM = {"model of kernel times", "model of lookups"}

HUGE = [b"9223372036854775807", b"-9223372036854775808", b"18446744073709551616", b"1e308", b"-1e308", b"nan", b"inf",
        b"0", b"-1", b"1e-320", b"99999999999999999999999999999999", b"0x7fffffff", b"2147483648"]
WRONG = [b"null", b"true", b"[]", b"{}", b'"text"', b"[1, 2]", b'{"a": 1}', b"~", b"''", b"1.5", b"!!binary aaaa"]
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
VALUE = re.compile(rb'"[^"\n]{0,40}"|-?\d+(?:\.\d+)?')


def truncated(data, draw):
    return data[:draw.randrange(len(data) + 1)]


def bits_flipped(data, draw):
    out = bytearray(data)
    for _ in range(draw.choice([1, 2, 8, 64])):
        out[draw.randrange(len(out))] ^= 1 << draw.randrange(8)
    return bytes(out)


def bytes_replaced(data, draw):
    at = draw.randrange(len(data))
    return data[:at] + draw.randbytes(draw.choice([1, 4, 16])) + data[at + draw.choice([0, 1, 4]):]


def values_swapped(data, draw):
    found = list(VALUE.finditer(data))
    if len(found) < 2:
        return bits_flipped(data, draw)
    a, b = sorted(draw.sample(range(len(found)), 2))
    a, b = found[a], found[b]
    return data[:a.start()] + b.group() + data[a.end():b.start()] + a.group() + data[b.end():]


def at_value(data, draw, pattern, values):
    found = list(pattern.finditer(data))
    if not found:
        return bytes_replaced(data, draw)
    out = data
    for one in sorted(draw.sample(found, min(len(found), draw.choice([1, 1, 3]))), key=lambda m: -m.start()):
        out = out[:one.start()] + draw.choice(values) + out[one.end():]
    return out


def huge_numbers(data, draw):
    return at_value(data, draw, NUMBER, HUGE)


def wrong_types(data, draw):
    return at_value(data, draw, VALUE, WRONG)


def deep_nesting(data, draw):
    depth = draw.choice([65, 1000, 100_000])
    opened, closed = draw.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"- ", b"")])
    nested = opened * depth + b"1" + closed * depth
    return at_value(data, draw, VALUE, [nested]) if draw.random() < 0.7 else nested


def invalid_utf8(data, draw):
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice([b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x00"]) + data[at:]


def lines_repeated(data, draw):
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    return b"\n".join(lines[:at] + [lines[at]] * draw.choice([2, 10, 3000]) + lines[at + 1:])


def lines_dropped(data, draw):
    lines = data.split(b"\n")
    del lines[draw.randrange(len(lines))]
    return b"\n".join(lines)


def mixed(data, draw):
    for _ in range(3):
        data = draw.choice([truncated, bits_flipped, values_swapped, huge_numbers, wrong_types, lines_dropped])(
            data or b"x", draw)
    return data


CHANGES = [truncated, bits_flipped, bytes_replaced, values_swapped, huge_numbers, wrong_types, deep_nesting, invalid_utf8,
           lines_repeated, lines_dropped, mixed]


def seeds_of(patterns):
    files = [path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.is_file()]
    return [path for path in files if 0 < path.stat().st_size <= LARGEST_SEED]


SEEDS = [seeds_of(patterns) for _, patterns, _ in READERS]


def with_checksum(data):
    """As the program does it (model_file_format.cc): FNV-1a of all lines before it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return data + b"sum %016x\n" % value


def make_case(number):
    """The name, the seed, the command and the changed bytes of a case."""
    reader = number % len(READERS)
    name, _, command = READERS[reader]
    change = CHANGES[number // len(READERS) % len(CHANGES)]
    draw = random.Random(number)
    seed = draw.choice(SEEDS[reader])
    data = seed.read_bytes()
    packed = seed.suffix == ".gz" and draw.random() < 0.5
    if packed:  # what is in it, and not only the container
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError):
            packed = False
    data = change(data, draw)
    if packed:
        data = gzip.compress(data, mtime=0)
    if name in WITH_CHECKSUM and draw.random() < 0.9:
        data = with_checksum(data)
    return f"{number}: {name}, {change.__name__}, {seed.relative_to(ROOT)}", seed, command, data


def words_of(command, folder, seed):
    changed = folder / ("changed" + "".join(seed.suffixes))
    words = []
    for word in command:
        if word.startswith("@"):
            copy = folder / pathlib.Path(word).name
            copy.write_text((ROOT / word[1:]).read_text().replace("CHANGED", str(changed)))
            word = str(copy)
        words.append(word.replace("{out}", str(folder / "out")).replace("{}", str(changed)))
    return words, changed


def confine():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def failure_of(number):
    """What is wrong with the answer of a case; empty: nothing."""
    name, seed, command, data = make_case(number)
    with tempfile.TemporaryDirectory() as folder:
        words, changed = words_of(command, pathlib.Path(folder), seed)
        changed.write_bytes(data)
        try:
            done = subprocess.run([PROGRAM, *words, "-q"], cwd=ROOT, capture_output=True, check=False, timeout=20 * LIMIT_S,
                                  preexec_fn=confine, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"{name}: does not end"
    return wrong_answer(name, done.returncode, done.stderr.decode(errors="replace"))


def wrong_answer(name, code, errors):
    """What is wrong with an exit code and the errors of a program; empty: nothing."""
    if code not in CODES:
        return f"{name}: ends with {code}: {errors[-300:]}"
    if OVER_LIMIT in errors:
        return f"{name}: needs more than {LIMIT_BYTES >> 30} GiB: {errors[-300:]}"
    if code > 1 and not re.search(r"error: .*\(E\d{4}\)", errors, re.S):
        return f"{name}: exit code {code} without an error: {errors[-300:]}"
    if "\x1b" in errors or "\x00" in errors:
        return f"{name}: control characters in the error: {errors[-300:]!r}"
    return ""


CODES = documented_codes(PROGRAM) if PROGRAM else set()


class Mutations(unittest.TestCase):
    def test_every_reader_has_seeds(self):
        for (name, patterns, _), seeds in zip(READERS, SEEDS):
            self.assertTrue(seeds, f"{name}: {patterns}")

    def test_every_corpus_is_used_or_listed(self):
        used = {pathlib.Path(path).parent.name for seeds in SEEDS for path in seeds if CORPUS in path.parents}
        corpora = {path.name for path in CORPUS.iterdir() if path.is_dir()}
        self.assertEqual(corpora - used, set(UNUSED_CORPORA))

    def test_too_much_memory_is_a_failure(self):
        """The program itself ends with an exit code of the table then."""
        event = '{"ph": "X", "cat": "cpu_op", "name": "n%d", "pid": 1, "tid": 1, "ts": %d, "dur": 1}'
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"traceEvents": [' + ",".join(event % (i, 2 * i) for i in range(200_000)) + "]}")
            file.flush()
            done = subprocess.run([PROGRAM, "trace", "info", file.name, "-q"], capture_output=True, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (80 << 20, 80 << 20)))
        self.assertIn(OVER_LIMIT, done.stderr.decode())
        self.assertIn("needs more than", wrong_answer("a case", done.returncode, done.stderr.decode()))
        self.assertEqual(wrong_answer("a case", 3, "orrery: error: a.json: is damaged (E2002)"), "")

    def test_every_seed_is_an_input_of_its_reader(self):
        """Else changed seeds would only reach the first check of a reader."""
        for (name, _, command), seeds in zip(READERS, SEEDS):
            with tempfile.TemporaryDirectory() as folder:
                results = []
                for seed in seeds:
                    words, changed = words_of(command, pathlib.Path(folder), seed)
                    data = seed.read_bytes()
                    changed.write_bytes(with_checksum(data) if name in WITH_CHECKSUM else data)
                    done = subprocess.run([PROGRAM, *words, "-q", "--force"], cwd=ROOT, capture_output=True, check=False)
                    results.append(done.returncode)
                    if done.returncode in (0, 1):
                        break
                self.assertTrue({0, 1} & set(results), f"{name}: no seed is read: {results}")

    def test_changed_inputs_get_one_answer_each(self):
        full = os.environ.get("ORRERY_TEST_EFFORT") == "full"
        cases = range(0, CASES, 1 if full else SHORT_STEP)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failures = [one for one in pool.map(failure_of, cases) if one]
        self.assertEqual(failures, [], f"{len(failures)} of {len(cases)} cases")


def repeat(numbers):
    for number in numbers:
        name, seed, command, data = make_case(number)
        folder = pathlib.Path(tempfile.mkdtemp())
        words, changed = words_of(command, folder, seed)
        changed.write_bytes(data)
        print(name, f"cd {ROOT} && {PROGRAM or 'orrery'} {' '.join(words)}", failure_of(number) or "fine", sep="\n")


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit("ORRERY_PROGRAM is not set")
    if sys.argv[1:] and sys.argv[1].isdigit():
        repeat([int(word) for word in sys.argv[1:]])
    else:
        unittest.main()
