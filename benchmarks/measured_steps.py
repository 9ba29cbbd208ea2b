#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts published steps into tables for orrery accuracy: core/ and more/, one file per source.

Usage: benchmarks/measured_steps.py SOURCES FOLDER

SOURCES is a folder with one JSON file per source and jobs.json.gz: {"points": [...]}. Each point has an id and its source
("src"). It has a job ("spec", as for orrery run --spec), a "cluster" ({"gpu", "n": devices, "dom": devices per island, "nvl",
"ib": GB/s per device inside and between islands}), "measured_s", "prec" (the format of products) and "assumed"; or it has
"why_not". "group" is "visible" for the core. KNOWN adds what a source states about all its runs and jobs.json.gz omits.

Two more files have points of 2025 and 2026 in the same form, with the release ("container"): RECENT. Of these, the core has
Megatron-Bridge's dense models, of one configuration the latest release. Experts, whose software has changed with nearly every
release, and devices with a lower power limit are in more/: no factor is fitted to them.
"""
import csv
import gzip
import json
import pathlib
import sys

from measured_lora import add_lora
from measured_neusight import rows_of as neusight_rows

# What a source states about all its runs, with the place of the statement.
KNOWN = {
    # "Megatron-LM" (the implementation of both papers' authors), before products overlapped their communication
    # (Transformer Engine's userbuffers, 2023).
    "megatron_korthikanti2022.json": {"kernels.framework": "megatron", "parallel.tp_overlap": "none"},
    "megatron_narayanan2021.json": {"kernels.framework": "megatron_2021", "parallel.tp_overlap": "none"},
    # vTrain, section 4 and data/README.md: measured with Megatron-DeepSpeed, whose kernels are Megatron-LM's of 2021;
    # README: no gradient bucket.
    "vtrain_multi_a100.json": {"kernels.framework": "megatron_2021"},
    # NVIDIA/dgxc-benchmarking: NeMo; tables of MaxText and Paxml, which XLA compiles, state this (frameworks). fp8 with delayed
    # scaling (NeMo, collections/llm/recipes/precision/mixed_precision.py, bf16_with_fp8_mixed).
    "nvidia_dgxc_benchmarking.json": {"kernels.framework": "megatron", "precision.scaling": "delayed"},
    # NVIDIA's submissions to MLPerf training, and those made with its containers: NeMo; fp8 "hybrid", delayed.
    "mlperf_training.json": {"kernels.framework": "megatron", "precision.scaling": "delayed"},
    # llm-foundry: MPT under PyTorch's FSDP, not compiled.
    # Its loss is flash-attention's cross entropy (models/mpt/modeling_mpt.py: loss_fn "fused_crossentropy").
    # Its attention is not stated. From 1,024 to 32,768 tokens (more/) the steps imply 80 to 88 TFLOP/s on A100 and 143 to 149
    # on H100, half the rate of FlashAttention-2, and ALiBi required Triton attention (llm-foundry, models/layers/attention.py: attn_impl "triton").
    "mosaic_mpt_fsdp.json": {"kernels.framework": "pytorch", "kernels.loss": "compiled", "kernels.attention": "flash_attention_triton"},
}
# Sources whose times are not measured steps (benchmarks/too_even.py shows it), with the reason for why_not.
COMPUTED = {
    # ground_truth_single.csv, "collected using Megatron-DeepSpeed": 264 groups of steps differ only in the batch. In each group
    # the step grows by the same time per microbatch, to the nanosecond. vTrain sums steps from the profiled kernels of one layer.
    "vtrain_single_a100.json": "source: sums of profiled kernels, not steps that ran",
}
# What the files of single runs state, and the collection omits.
CORRECTED = {
    # hpg.dgxb200x8/config_DGXB200_{32,56}x8x144xtp4pp8cp2_cg.sh sources config_common_cg.sh and no config_common_fp4.sh:
    # fp8. TP_COMM_OVERLAP is commented out.
    "mlperf-v5.1-llama31_405b-hpg.dgxb200x8.n32": {"prec": "fp8", "parallel.tp_overlap": "none"},
    "mlperf-v5.1-llama31_405b-hpg.dgxb200x8.n56": {"prec": "fp8", "parallel.tp_overlap": "none"},
}
# Sources from before HybridEP (Megatron-Core 0.15, November 2025): NeMo's MixtralConfig8x7B has moe_token_dispatcher_type "alltoall".
BY_ALL_TO_ALL = {"nvidia_dgxc_benchmarking.json"}
# How NVIDIA's Grok-1 differs from xAI's: no norms behind blocks, Llama 3's vocabulary, experts that run one after another with
# exactly their share of the tokens. Until release 25.04: NVIDIA/dgxc-benchmarking, grok1/grok1_314b.yaml (normalization, tokenizer,
# moe_grouped_gemm, moe_expert_capacity_factor). Since 25.05: NeMo, scripts/performance/llm/pretrain_grok1_314b.py: a
# MixtralConfig8x7B (collections/llm/gpt/model/mixtral.py; SwiGLU) with a MegatronTokenDropCallback.
NEMO_GROK = {"model.post_norms": False, "model.vocab": 128256, "kernels.grouped": False,
             "model.moe.capacity_factor": 1, "model.moe.pad_to_capacity": True}
FIRST_GROK_OF_NEMO_2 = "dgxc-0294"
FIRST = ["id", "model_name", "gpu", "n", "dom", "nvl", "ib", "prec", "measured_s"]
LAST = ["assumed", "why_not"]
# Keys in other columns, or keys that do not describe the job.
LEFT_OUT = {"name", "version", "model.name"}


def flat(tree, before=""):
    """Paths and values of a specification."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def text(value):
    """A cell in the syntax of orrery's --set."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, list) else str(value)


def frameworks(folder, source):
    """kernels.framework by id, for points that state JAX: "none", because Orrery has no framework for XLA's kernels."""
    try:
        points = json.loads((folder / source).read_text())["points"]
    except FileNotFoundError:
        return {}
    return {point["id"]: "none" for point in points if "JAX" in (point.get("framework") or "")}


def mosaic_spec(point):
    """Specification of points of llm-foundry whose devices jobs.json.gz omits, from the source, in the form of its other points."""
    model, batch = point["model"], point["batch"]
    spec = {"model.layers": model["layers"], "model.hidden": model["hidden"], "model.heads": model["heads"],
            "model.ffn": model["ffn"], "model.vocab": model["vocab"], "batch.global": batch["global"],
            "batch.micro": batch["micro"], "batch.seq": model["seq"], "parallel.dp": point["hw"]["num_gpus"],
            "recompute.kind": "full" if point["recompute"] == "full" else "none"}
    return {key: text(value) for key, value in spec.items()}


def row(point, framework):
    cells = {"id": point["id"], "model_name": point.get("model_name") or "", "why_not": point.get("why_not") or "",
             "measured_s": text(point["measured_s"]) if point.get("measured_s") else "",
             "prec": point.get("prec") or "", "assumed": "; ".join(point.get("assumed") or [])}
    if point.get("cluster"):
        cells.update({key: text(value) for key, value in point["cluster"].items()})
    elif point.get("gpus"):
        cells["n"] = text(point["gpus"])
    if point["src"] in COMPUTED:
        cells["why_not"] = COMPUTED[point["src"]]
    if "spec" not in point:
        return cells
    cells.update({key: text(value) for key, value in KNOWN.get(point["src"], {}).items()})
    if framework:
        cells["kernels.framework"] = framework
    cells.update({key: text(value) for key, value in flat(point["spec"]) if key not in LEFT_OUT})
    if point["src"] in BY_ALL_TO_ALL and point["spec"].get("parallel", {}).get("ep", 1) > 1:
        cells["parallel.dispatcher"] = "all_to_all"
    cells.update(CORRECTED.get(point["id"], {}))
    if point["src"] == "nvidia_dgxc_benchmarking.json" and cells["model_name"].startswith("Grok1"):
        cells.update({key: text(value) for key, value in NEMO_GROK.items()})
        if point["id"] >= FIRST_GROK_OF_NEMO_2:
            cells["model.mlp"] = "swiglu"
    if point["spec"].get("parallel", {}).get("tp", 1) == 1:
        cells.pop("parallel.sp", None)
        cells.pop("parallel.tp_overlap", None)
    return cells


def add_a100_40gb(rows, published):
    """Completes the rows of llm-foundry on A100s with 40 GB: Orrery has this device, and the plan equals that of all others."""
    points = {point["id"]: point for point in published}
    other = next(cells for cells in rows if cells.get("gpu") == "A100")
    same = {key: value for key, value in other.items() if key.startswith(("kernels.", "model.", "parallel.", "precision."))}
    for cells in rows:
        point = points.get(cells["id"])
        if "A100-40GB" not in cells["why_not"] or not point["derived"].get("iter_time_s"):
            continue
        devices = point["hw"]["num_gpus"]
        cells.update(same)
        cells.update(mosaic_spec(point))
        cells.update({"why_not": "", "gpu": "a100-40gb", "n": text(devices), "dom": text(min(devices, 8)), "nvl": "300",
                      "ib": "25", "prec": "bf16", "measured_s": text(point["derived"]["iter_time_s"])})


RECENT = ["bridge_2025_26.json.gz", "steps_b200_b300_500w.json.gz"]
# Dispatchers of experts, which the tables omit, from the configurations of these tables: NVIDIA-NeMo/Megatron-Bridge,
# scripts/performance/configs/*/*_workload_base_configs.py. A configuration belongs to a point if model, GPU, stages, chunks, ep, micro
# batch and batch are equal, and if the release is at least "since" (before, the same plan had another configuration, or none had a
# backend: 0fa501ac). Only what differs from Orrery's default for the release and the GPU is stated (docs/reference/workload.md).
RECIPES = [
    # DEEPSEEK_V3_PRETRAIN_CONFIG_B200_FP8_MX_V2 (moe_flex_dispatcher_backend, moe_a2a_overlap)
    ({"model": "DeepSeekV3", "gpu": "b200", "pp": 8, "chunks": 2, "ep": 32, "micro": 1, "global": 4096, "since": "26.04"},
     {"parallel.dispatcher": "deepep", "parallel.overlap_experts": True}),
    # DEEPSEEK_V3_PRETRAIN_CONFIG_{B200,B300}_FP8_MX_V2 (f0e2c37e)
    ({"model": "DeepSeekV3", "gpu": "b200", "pp": 16, "chunks": 1, "ep": 8, "micro": 1, "global": 4096, "since": "26.02"},
     {"parallel.dispatcher": "hybridep"}),
    ({"model": "DeepSeekV3", "gpu": "b300", "pp": 16, "chunks": 1, "ep": 8, "micro": 1, "global": 4096, "since": "26.02"},
     {"parallel.dispatcher": "hybridep"}),
    # GPT_OSS_120B_PRETRAIN_CONFIG_{GB200,GB300}_BF16_V2 (07eea52d): no backend
    *(({"model": "GPT OSS 120B", "gpu": gpu, "pp": 1, "chunks": 1, "ep": 64, "micro": 4, "global": 1280, "since": "26.02",
        "prec": "bf16"}, {"parallel.dispatcher": "all_to_all"}) for gpu in ("gb200", "gb300")),
    # GPT_OSS_120B_PRETRAIN_CONFIG_B300_BF16_V2 (07eea52d)
    ({"model": "GPT OSS 120B", "gpu": "b300", "pp": 1, "chunks": 1, "ep": 8, "micro": 4, "global": 1280, "since": "26.02"},
     {"parallel.dispatcher": "hybridep"}),
]


def recipe_of(point):
    """What the configuration of a point of Megatron-Bridge states, see RECIPES."""
    spec = point["spec"]
    facts = {"model": point["model_name"], "gpu": point["cluster"]["gpu"], "prec": point["prec"],
             "pp": spec["parallel"].get("pp", 1), "ep": spec["parallel"].get("ep", 1),
             "chunks": spec.get("schedule", {}).get("chunks", 1), "micro": spec["batch"]["micro"], "global": spec["batch"]["global"]}
    for asked, keys in RECIPES:
        plan = {key: value for key, value in asked.items() if key != "since"}
        if point["container"] >= asked["since"] and plan.items() <= facts.items():
            return {key: text(value) for key, value in keys.items()}
    return {}


def recent_points(published):
    return [point for name in RECENT for point in json.load(gzip.open(published / name))["points"]]


def bridge_rows(points):
    """Rows of Megatron-Bridge's tables by folder."""
    latest = {}
    for point in points:
        cluster, dense = point["cluster"], point["spec"]["parallel"].get("ep", 1) == 1
        same = (point["model_name"], cluster["gpu"], cluster["n"], point["prec"],
                point["spec"]["precision"].get("scaling"))
        if dense and latest.get(same, point)["container"] <= point["container"]:
            latest[same] = point
    chosen = {point["id"] for point in latest.values()}
    tables = {}
    for point in points:
        cells = row({**point, "src": point["source"]}, None)
        cells["kernels.release"] = point["container"]
        cells.update(recipe_of(point))
        tables.setdefault("core" if point["id"] in chosen else "more", []).append(cells)
    return tables


def write_described(folder, source, points):
    """Points whose devices the catalog does not have: JSON, with the keys of a cluster file."""
    keys = ("id", "source", "spec", "prec", "cluster", "measured_s")
    rows = [json.dumps({key: point[key] for key in keys if point.get(key)}) for point in points]
    (folder / f"{source}.json").write_text('{"points": [\n' + ",\n".join(rows) + "\n]}\n")


def write(folder, source, rows):
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted({name for cells in rows for name in cells} - set(FIRST) - set(LAST))
    with open(folder / f"{source.removesuffix('.json')}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIRST + names + LAST, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    published, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    tables, special = {}, {}
    for point in json.load(gzip.open(published / "jobs.json.gz"))["points"]:
        source = point["src"]
        if source not in special:
            special[source] = frameworks(published, source)
        where = "core" if point.get("group") == "visible" else "more"
        tables.setdefault((where, source), []).append(row(point, special[source].get(point["id"])))
    mosaic = "mosaic_mpt_fsdp.json"
    add_a100_40gb(tables["more", mosaic], json.loads((published / mosaic).read_text())["points"])
    add_lora(tables["more", "mlperf_training.json"], json.loads((published / "mlperf_training.json").read_text())["points"])
    neusight = "neusight_e2e.json"
    tables["more", neusight] = neusight_rows(json.loads((published / neusight).read_text())["points"])
    recent = recent_points(published)
    bridge = [point for point in recent if point["source"] == "nvidia_megatron_bridge"]
    tables.update({(where, "nvidia_megatron_bridge.json"): rows for where, rows in bridge_rows(bridge).items()})
    for (where, source), rows in tables.items():
        write(folder / where, source, rows)
    others = {point["source"] for point in recent} - {"nvidia_megatron_bridge"}
    for source in sorted(others):
        write_described(folder / "more", source, [point for point in recent if point["source"] == source])


if __name__ == "__main__":
    main()
