#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public tables of measured kernel times as one table in Orrery's form.

  kernel_tables.py [--stack NAME]... [--format NAME]... [--without OPERATION]... [--fastest N] [--median]
                   [--loads NAME] [--rename "THEIRS=OURS"]... [DEVICE=]FILE... > table.csv

Reads tables in CSV (also gzipped) as AIConfigurator, NeuSight, Vidur, PipeWeave and Primus have them; which
one it is, the header says. DEVICE is what the rows were measured on; tables that name a GPU in every row take
it from there, renamed as --rename says. --stack keeps rows of that software where a table names one, --format
kernels whose first input has that format, --without those of other operations. --fastest N: of a kernel that N or
more tables timed on one device, the least time; others are left out. --median: of a kernel that was timed several
times on one device, the median. --loads: experts with that distribution of tokens, "balanced" if none is named.

Writes `device,kernel,us`: the kernel as Orrery writes kernels (graph::to_text), " + " between kernels that were
measured together, and microseconds. Rows that no kernel of ours describes are skipped and counted on stderr.
"""
import argparse
import collections
import csv
import gzip
import math
import statistics
import sys

FORMATS = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "fp8": "fp8", "fp8_block": "fp8_block",
           "nvfp4": "fp4_block", "float32": "fp32", "bf16_r": "bf16", "f8_r": "fp8", "f32_r": "fp32"}


class Unknown(Exception):
    """A row without a corresponding kernel of Orrery; the text is the reason."""


def form(name):
    """Our name of a number format."""
    if name not in FORMATS:
        raise Unknown(f"unknown number format {name}")
    return FORMATS[name]


def whole(row, key):
    """A size: a positive whole number."""
    value = int(row[key])
    if value <= 0:
        raise Unknown(f"{key} below 1")
    return value


def kernel(operation, formats, sizes, traits=(), passing="forward"):
    """One kernel as text; sizes of 0 are omitted."""
    words = [operation, passing, formats]
    words += [f"{name}={value}" for name, value in sizes if value]
    return " ".join(words + [t for t in traits if t])


def product(a, out, m, n, k, traits=("transposed_b",), passing="forward"):
    return kernel("gemm", f"{a},{a}>{out}", [("m", m), ("n", n), ("k", k)], traits, passing)


def gemm(row):
    """AIConfigurator and PipeWeave: C[m,n] = A[m,k] B[n,k]', one call."""
    return product(form(row["dtype"]), "bf16", whole(row, "m"), whole(row, "n"), whole(row, "k"))


def attention(row, queries, keys, causal, caches=False):
    heads = whole(row, "heads")
    dim = whole(row, "head_dim")
    a = form(row["dtype"])
    b = form(row.get("kv_dtype") or row["dtype"])
    return kernel("attention", f"{a},{b}>bf16",
                  [("batch", whole(row, "batch")), ("heads", heads), ("kv_heads", int(row.get("kv_heads") or heads)),
                   ("queries", queries), ("keys", keys), ("key_dim", dim), ("value_dim", dim),
                   ("window", int(row.get("window") or 0))], ["causal" if causal else "", "caches" if caches else ""])


def prefill(row):
    """AIConfigurator: an engine's attention, which writes keys and values into its cache first: with one head of them a head
    of queries, longer by what copying them takes (H100, 1,024 tokens: 0.49 ms for 671 MB more)."""
    seq = whole(row, "seq")
    return attention(row, seq, seq + int(row.get("past") or 0), True, True)


def bidirectional(row):
    return attention(row, whole(row, "seq"), whole(row, "seq"), False)


def decode(row):
    return attention(row, 1, whole(row, "kv_len"), True)


def latent(row):
    """AIConfigurator: multi-head latent attention of DeepSeek-V3's sizes. Prefill has keys of 128 numbers and 64 of
    positions a head; decode has absorbed products, so all heads share one head of 512 + 64 numbers, whose first 512 are
    the values, too."""
    heads, batch = whole(row, "heads"), whole(row, "batch")
    queries = whole(row, "seq")
    keys = queries + int(row["past"])
    a, b = form(row["dtype"]), form(row["kv_dtype"])
    prefilling = row["op"] == "context"
    shared, key_dim, value_dim = (heads, 192, 128) if prefilling else (1, 576, 512)
    return kernel("attention", f"{a},{b}>bf16",
                  [("batch", batch), ("heads", heads), ("kv_heads", shared), ("queries", queries), ("keys", keys),
                   ("key_dim", key_dim), ("value_dim", value_dim)], ["causal"])


def absorbed(row):
    """AIConfigurator: the products of each head around latent attention's decode, before (its queries into the latent
    space) and behind (out of it)."""
    n, k = {"mla_gen_pre": (512, 128), "mla_gen_post": (128, 512)}[row["op"]]
    a = form(row["dtype"])
    return kernel("batched_gemm", f"{a},{a}>bf16",
                  [("batch", whole(row, "heads")), ("m", whole(row, "tokens")), ("n", n), ("k", k)])


def experts(row, loads="balanced"):
    """AIConfigurator: the experts of one rank, gate and up, activation and down. Loads that are not balanced are those
    of the busiest rank, whose rows no column counts: they are known where one rank has all experts. Models without a
    gate are not flagged there, but two kernel names are."""
    if row["distribution"] != loads:
        raise Unknown("unequal loads of experts" if loads == "balanced" else f"loads that are not {loads}")
    if loads != "balanced" and whole(row, "ep") != 1:
        raise Unknown("unequal loads of ranks without row counts")
    if "nongated" in row["kernel"]:
        raise Unknown("experts without a gate")
    if "min_latency" in row["kernel"]:
        raise Unknown("another kernel for the same experts: min_latency")
    a = form(row["dtype"])
    hidden, ffn = whole(row, "hidden"), whole(row, "moe_ffn") // whole(row, "tp")
    groups = whole(row, "experts") // whole(row, "ep")
    rows = math.ceil(whole(row, "tokens") * whole(row, "topk") / whole(row, "ep"))
    routing = [("tokens", whole(row, "tokens")), ("chosen", whole(row, "topk")), ("experts", whole(row, "experts"))]
    up = kernel("grouped_gemm", f"{a},{a}>bf16",
                [("groups", groups), ("rows", rows), ("n", 2 * ffn), ("k", hidden)] + routing,
                ["transposed_b", "gated"])
    down = kernel("grouped_gemm", f"{a},{a}>bf16",
                  [("groups", groups), ("rows", rows), ("n", hidden), ("k", ffn)] + routing, ["transposed_b"])
    return up + " + " + down


def triton_experts(row):
    """PipeWeave: one grouped product, gate and up, alone: its rows lie ready. n counts one of both: otherwise few rows
    would read their weights at the same half of every memory's rate, from A40 to H800."""
    return kernel("grouped_gemm", "bf16,bf16>bf16",
                  [("groups", whole(row, "experts")), ("rows", whole(row, "tokens") * whole(row, "topk")),
                   ("n", 2 * whole(row, "n")), ("k", whole(row, "hidden"))],
                  ["transposed_b", "gated"])


def linear(row):
    """NeuSight: fp32 without tensor cores."""
    return product("fp32", "fp32", whole(row, "batch") * whole(row, "m"), whole(row, "n"), whole(row, "k"))


def batched(row):
    return kernel("batched_gemm", "fp32,fp32>fp32",
                  [("batch", whole(row, "batch")), ("m", whole(row, "m")), ("n", whole(row, "n")),
                   ("k", whole(row, "k"))])


def norm(operation):
    return lambda row: kernel(operation, "fp32,fp32>fp32",
                              [("rows", whole(row, "B")), ("features", whole(row, "H"))])


def quantize(row):
    if row["op"] != "scale_matrix":
        raise Unknown("the time is a difference of two times")
    return kernel("cast", f"bf16,bf16>{form(row['dtype'])}",
                  [("elements", whole(row, "m") * whole(row, "k")), ("features", whole(row, "k"))])


def layer(row):
    """Vidur: medians of a transformer layer's operations under tensor parallelism, fp16 (2 bytes a number)."""
    tokens, hidden, tp = whole(row, "num_tokens"), whole(row, "hidden"), whole(row, "tp")
    ffn, heads, kv = whole(row, "ffn"), whole(row, "heads"), whole(row, "kv_heads")
    dim, op = hidden // heads, row["op"]
    kv_width = max(1, kv // tp) * dim
    flat = "fp16,fp16>fp16"
    if op in ("input_layernorm", "post_attention_layernorm"):
        return kernel("rms_norm", flat, [("rows", tokens), ("features", hidden)])
    if op == "mlp_act":
        return kernel("activation", flat, [("elements", tokens * ffn // tp), ("features", ffn // tp)], ["gated"])
    if op == "add":
        return kernel("elementwise", flat,
                      [("elements", tokens * hidden), ("features", hidden), ("bytes", 6 * tokens * hidden)])
    if op == "attn_rope":
        width = hidden // tp + kv_width
        return kernel("rotary", flat,
                      [("elements", tokens * width), ("features", width), ("bytes", 4 * tokens * width)])
    if op == "attn_pre_proj":
        return product("fp16", "fp16", tokens, hidden // tp + 2 * kv_width, hidden)
    if op == "attn_post_proj":
        return product("fp16", "fp16", tokens, hidden, hidden // tp)
    if op == "mlp_up_proj":
        return product("fp16", "fp16", tokens, 2 * ffn // tp, hidden)
    if op == "mlp_down_proj":
        return product("fp16", "fp16", tokens, hidden, ffn // tp)
    raise Unknown(f"unknown operation {op}")


def blas(row):
    """Primus: hipBLASLt's own letters, column-major: its D' is our C, so m and n change places."""
    passing = {"TN": "forward", "NN": "input_grad", "NT": "weight_grad"}[row["trans"]]
    traits = {"TN": ["transposed_b"], "NN": [], "NT": ["transposed_a"]}[row["trans"]]
    if float(row["beta"]):
        traits = ["accumulates"] + traits
    a, b = form(row["a_type"]), form(row["b_type"])
    return kernel("gemm", f"{a},{b}>{form(row['d_type'])}",
                  [("m", whole(row, "n")), ("n", whole(row, "m")), ("k", whole(row, "k"))], traits, passing)


# By the columns that only one format has: (columns, kernel of a row, column of the time, microseconds in one).
READERS = [
    ({"trans", "beta"}, blas, "latency_us", 1),
    ({"best_latency_us", "tile_configs"}, triton_experts, "best_latency_us", 1),
    ({"moe_ffn", "distribution"}, experts, "latency_us", 1),
    ({"kv_len", "head_dim"}, decode, "latency_us", 1),
    ({"op", "heads", "seq", "past", "kv_dtype"}, latent, "latency_us", 1),
    ({"op", "tokens", "heads"}, absorbed, "latency_us", 1),
    ({"seq", "head_dim", "stack"}, bidirectional, "latency_us", 1),
    ({"seq", "head_dim"}, prefill, "latency_us", 1),
    ({"op", "m", "k"}, quantize, "latency_us", 1),
    ({"num_tokens", "ffn"}, layer, "median_ms", 1000),
    ({"m", "n", "k", "dtype"}, gemm, "latency_us", 1),
    ({"m", "n", "k", "latency_ms"}, None, "latency_ms", 1000),
    ({"B", "H", "latency_ms"}, None, "latency_ms", 1000),
]


def reader_of(path, header):
    for columns, make, time, scale in READERS:
        if columns <= set(header):
            break
    else:
        raise SystemExit(f"{path}: line 1: unknown table format with the columns {','.join(header)}")
    if make is None:  # NeuSight's tables differ by name alone
        name = path.rsplit("/", 1)[-1]
        known = {"linear": linear, "bmm": batched, "ln": norm("layer_norm"), "softmax": norm("softmax")}
        make = next((make for word, make in known.items() if word in name), None)
        if make is None:
            raise SystemExit(f"{path}: name the file after its operation: {', '.join(known)}")
    return make, time, scale


def convert(device, path, options, out, left_out):
    opened = gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")
    with opened as file:
        rows = csv.DictReader(file)
        make, time, scale = reader_of(path, rows.fieldnames or [])
        for row in rows:
            theirs = row.get("gpu") or row.get("device") or ""
            ours = device or options.names.get(theirs)
            if ours is None:
                left_out[f"{path}: device {theirs or 'not said'}"] += 1
                continue
            if options.stack and row.get("stack") and row["stack"] not in options.stack:
                continue
            try:
                us = float(row[time]) * scale
                if not (math.isfinite(us) and us > 0):
                    raise Unknown("the time is not above 0")
                made = make(row, options.loads) if make is experts else make(row)
                if options.format and made.split()[2].partition(",")[0] not in options.format:
                    continue
                if made.split()[0] in options.without:
                    continue
                out.append((ours, made, us))
            except Unknown as why:
                left_out[f"{path}: {why}"] += 1
            except (KeyError, ValueError, TypeError) as wrong:
                raise SystemExit(f"{path}: line {rows.line_num}: {wrong!r}") from None


def once_each(rows, taken, least):
    """What `taken` makes of each kernel's times on each device, where `least` or more are known."""
    times = {}
    for device, made, us in rows:
        times.setdefault((device, made), []).append(us)
    return [(*key, taken(known)) for key, known in times.items() if len(known) >= least]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", action="append", default=[])
    parser.add_argument("--format", action="append", default=[])
    parser.add_argument("--without", action="append", default=[], metavar="OPERATION")
    parser.add_argument("--fastest", type=int, default=0, metavar="N")
    parser.add_argument("--median", action="store_true")
    parser.add_argument("--loads", default="balanced", metavar="NAME")
    parser.add_argument("--rename", action="append", default=[], metavar="THEIRS=OURS")
    parser.add_argument("tables", nargs="+", metavar="[DEVICE=]FILE")
    options = parser.parse_args(arguments)
    if any("=" not in rename for rename in options.rename):
        parser.error("--rename takes THEIRS=OURS")
    options.names = dict(rename.split("=", 1) for rename in options.rename)
    rows = []
    left_out = collections.Counter()
    for table in options.tables:
        device, separator, path = table.partition("=")
        convert(device if separator else "", path if separator else table, options, rows, left_out)
    if options.fastest:
        rows = once_each(rows, min, options.fastest)
    if options.median:
        rows = once_each(rows, statistics.median, 1)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["device", "kernel", "us"])
    out.writerows([device, made, f"{us:.6g}"] for device, made, us in rows)
    for why, count in sorted(left_out.items()):
        print(f"kernel_tables: {count} rows skipped: {why}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
