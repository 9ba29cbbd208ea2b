#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts published memory of training jobs into tables for memory_errors.py, one file per source.

Usage: benchmarks/measured_memory.py SOURCES FOLDER

SOURCES is a folder with one JSON file per source: {"points": [...]}. Each point has an id, "model", "hw", "par", "batch",
"precision", "recompute" and "measured". Points of Megatron-LM also have the arguments of the run ("args"). A row contains
the job as arguments of orrery memory --set, the device, the measured rank, and the figures in GiB by counter:
  allocated        maximum memory of the framework's tensors
  after_step       memory of the tensors after the step
  reserved         maximum memory that the framework's allocator reserves on the device
  unstated         one of these three; the source does not state which (mem_max of Primus: without a unit, too)
"why_not" states which part of the job cannot be expressed.
"""
import csv
import json
import pathlib
import sys

COUNTERS = {"mem_peak_allocated_gib": "allocated", "mem_allocated_after_step_gib": "after_step",
            "mem_peak_reserved_gib": "reserved", "mem_peak_gib": "unstated", "mem_gib": "unstated"}
FIRST = ["id", "gpu", "n", "rank", *dict.fromkeys(COUNTERS.values()), "outcome"]
LAST = ["assumed", "why_not"]
DEVICES = {"H100-80GB": "h100-sxm", "A100": "a100-80gb", "GB200": "gb200"}

# Vocabularies of the tests' tokenizers: GPT-2's and BERT's word pieces (T5: the cased ones and 100 more words).
WORDS = {"gpt": 50257, "moe": 50257, "bert": 30522, "t5": 28996 + 100}


def padded(words, tp, multiple=128):
    """Megatron-LM's vocabulary: a multiple of `multiple` for each tp rank."""
    return -(-words // (multiple * tp)) * multiple * tp


def megatron_model(kind, args, tp):
    """Converts Megatron-LM's arguments and defaults into keys of Orrery's model."""
    hidden, layers = args["hidden-size"], args.get("num-layers", args.get("encoder-num-layers"))
    gated = args.get("swiglu", False)
    inner = args.get("ffn-hidden-size") or (int(4 * hidden * 2 / 3 / 64) * 64 if gated else 4 * hidden)
    biases = not args.get("disable-bias-linear", False)
    model = {"layers": layers, "hidden": hidden, "ffn": inner, "heads": args["num-attention-heads"],
             "vocab": padded(args.get("vocab-size", WORDS[kind]), tp, args.get("make-vocab-size-divisible-by", 128)),
             "mlp": "swiglu" if gated else "gelu", "norm": "rmsnorm" if args.get("normalization") == "RMSNorm" else "layernorm",
             "positions": "rope" if args.get("position-embedding-type") == "rope" else "learned",
             "qkv_bias": biases, "out_bias": biases, "mlp_bias": biases,
             "tied_embeddings": not args.get("untie-embeddings-and-output-weights", False),
             "qk_norm": args.get("qk-layernorm", False), "dropout": args.get("hidden-dropout", 0.1) > 0}
    if args.get("max-position-embeddings") and model["positions"] == "learned":
        model["max_positions"] = args["max-position-embeddings"]
    if args.get("group-query-attention"):
        model["kv_heads"] = args["num-query-groups"]
    if kind == "bert":
        model |= {"kind": "encoder", "token_types": 2, "pooler": True, "head_bias": True}
    if kind == "t5":
        model |= {"kind": "encoder_decoder", "encoder_layers": args["encoder-num-layers"],
                  "layers": args["decoder-num-layers"], "head_bias": True}
    if args.get("num-experts"):
        model |= {f"moe.{key}": value for key, value in {
            "experts": args["num-experts"], "top_k": args.get("moe-router-topk", 2),
            "ffn": args.get("moe-ffn-hidden-size", inner), "shared_ffn": args.get("moe-shared-expert-intermediate-size", 0),
            "shared_experts": 1 if args.get("moe-shared-expert-intermediate-size") else 0, "expert_bias": biases}.items()}
        if args.get("moe-layer-freq"):  # "([0]*3+[1]*12)": layers without experts come first
            model["moe.first_dense"] = int(args["moe-layer-freq"].split("]*")[1].split("+")[0])
    if args.get("multi-latent-attention"):
        model |= {"mla.q_rank": args["q-lora-rank"], "mla.kv_rank": args["kv-lora-rank"], "mla.nope_dim": args["qk-head-dim"],
                  "mla.rope_dim": args["qk-pos-emb-head-dim"], "mla.v_dim": args["v-head-dim"]}
    return {f"model.{key}": value for key, value in model.items()}


def stage_layers(args, par, layers):
    """Layers per stage if the stages are uneven; else empty."""
    stages = par.get("pp", 1) * par.get("vp", 1)
    first, last = args.get("decoder-first-pipeline-num-layers"), args.get("decoder-last-pipeline-num-layers")
    if first and last:
        return [first] + [(layers - first - last) // (stages - 2)] * (stages - 2) + [last]
    if args.get("account-for-embedding-in-pipeline-split") or layers % stages:
        return [0] + [layers // (stages - 2)] * (stages - 2) + [0]
    return []


def megatron_row(point):
    """Row of a functional test of Megatron-LM."""
    args, par, batch = point["args"], point["par"], point["batch"]
    kind = point["model"]["name"].split("/")[0]
    flags = {"hybrid-layer-pattern": "layers with state spaces", "mtp-num-layers": "multi-token prediction",
             "fine-grained-activation-offloading": "activations on the host", "cuda-graph-impl": "memory of CUDA graphs",
             "fp8-format": "weights and saved activations in fp8"}
    whys = [what for flag, what in flags.items() if args.get(flag)]
    if "defer_embedding_wgrad_compute" in point["id"]:  # only the test's name contains the argument
        whys.append("activations kept for the embedding's gradient, computed at the end of the step")
    why = "; ".join(whys)
    cells = {"rank": "last", "why_not": why}
    if why:
        return cells
    tp, pp = par.get("tp", 1), par.get("pp", 1)
    spec = megatron_model(kind, args, tp)
    sharding = "zero3" if par.get("fsdp") else "zero1" if par.get("zero") else "none"
    spec |= {"parallel.tp": tp, "parallel.pp": pp, "parallel.cp": par.get("cp", 1), "parallel.dp": par["dp"],
             "parallel.sp": bool(par.get("sp")) and tp > 1, "parallel.sharding": sharding}
    if par.get("ep", 1) > 1:
        spec["parallel.ep"] = par["ep"]
    if par.get("etp") and args.get("num-experts"):
        spec["parallel.etp"] = par["etp"]
    copies = args.get("num-distributed-optimizer-instances", 1)
    if copies > 1 and spec["parallel.sharding"] != "none":
        spec["parallel.shard_size"] = par["dp"] * par.get("cp", 1) // copies
    if sharding != "zero3":
        spec["parallel.overlap_gradients"] = bool(args.get("overlap-grad-reduce"))
        spec["parallel.overlap_weights"] = bool(args.get("overlap-param-gather"))
    if par.get("vp", 1) > 1:
        spec |= {"schedule.kind": "interleaved", "schedule.chunks": par["vp"]}
    if layers := stage_layers(args, par, spec["model.layers"]):
        spec["schedule.stage_layers"] = layers
    spec |= {"batch.global": batch["global"], "batch.micro": batch["micro"],
             "batch.seq": args.get("seq-length", args.get("decoder-seq-length"))}
    if kind == "t5":
        spec["batch.source_seq"] = args["encoder-seq-length"]
    if args.get("fp16"):
        spec |= {"precision.weights": "fp16", "precision.activations": "fp16", "precision.gradients": "fp16", "precision.reduce": "fp16"}
    if args.get("num-experts"):
        spec["kernels.grouped"] = args.get("moe-grouped-gemm", False)
    if args.get("optimizer") == "muon":
        spec["optimizer.kind"] = "muon"
    if point["recompute"] != "none":
        spec["recompute.kind"] = point["recompute"]
    flash = args.get("attention-backend", "auto") not in ("unfused", "local") and args.get("transformer-impl") != "local"
    spec |= {"kernels.framework": "megatron", "kernels.flash_attention": flash,
             "kernels.deterministic": args.get("deterministic-mode", False)}
    if "cross_entropy_loss_fusion" in point["id"]:  # only the test's name contains the argument
        spec["kernels.loss"] = "megatron_compiled"
    cells.update({key: text(value) for key, value in spec.items()})
    return cells


# Public configurations of models that are not in orrery's catalog (Moonlight-16B-A3B: Hugging Face, config.json).
MOONLIGHT = {"layers": 27, "hidden": 2048, "ffn": 11264, "heads": 16, "vocab": 163840, "mlp": "swiglu", "norm": "rmsnorm",
             "positions": "rope", "qkv_bias": False, "out_bias": False, "mlp_bias": False, "tied_embeddings": False,
             "moe.experts": 64, "moe.top_k": 6, "moe.ffn": 1408, "moe.shared_experts": 2, "moe.first_dense": 1,
             "moe.router_bias": True, "mla.kv_rank": 512, "mla.nope_dim": 128, "mla.rope_dim": 64, "mla.v_dim": 128}
MODULES = {"core_attn": ["attention"], "mlp": ["mlp_up", "activation", "mlp_down"], "layernorm": ["norm"], "moe_act": ["activation"],
           "mla_up_proj": ["qkv"]}


def bridge_row(point):
    """Row of a table of Megatron-Bridge. Its recipes shard the optimizer and use Transformer Engine's cross entropy."""
    cells = {"rank": "", "assumed": "optimizer sharded, cross entropy of Transformer Engine: the recipes' defaults"}
    par, batch, model = point["par"], point.get("batch") or {}, point["model"]["name"]
    if not batch.get("global"):
        return cells | {"why_not": "batch and number of GPUs not stated"}
    spec = {f"model.{key}": value for key, value in MOONLIGHT.items()} if model.startswith("Moonlight") else {
        "model": {"Llama3-70B": "llama-3-70b", "Qwen3-30B-A3B": "qwen3-30b-a3b"}[model]}
    tp, pp, cp = par.get("tp", 1), par.get("pp", 1), par.get("cp", 1)
    spec |= {"parallel.tp": tp, "parallel.pp": pp, "parallel.cp": cp, "parallel.dp": point["hw"]["num_gpus"] // (tp * pp * cp),
             "parallel.sp": tp > 1, "parallel.sharding": "zero1", "batch.global": batch["global"], "batch.micro": batch["micro"],
             "batch.seq": point["model"]["seq"], "kernels.framework": "megatron", "kernels.loss": "in_place"}
    if par.get("ep", 1) > 1:
        spec |= {"parallel.ep": par["ep"], "parallel.etp": 1}
    if par.get("vp", 1) > 1:
        spec |= {"schedule.kind": "interleaved", "schedule.chunks": par["vp"]}
    if point["precision"].startswith("fp8"):
        spec["precision.products"] = "fp8"
    if model.startswith("Moonlight"):  # src/megatron/bridge/recipes/moonlight: "bf16 gradients/moments"
        spec |= {"precision.gradients": "bf16", "precision.reduce": "bf16", "precision.optimizer": "bf16"}
    groups = [group for module in point.get("recompute_modules", []) for group in MODULES[module]]
    if groups == ["attention"]:
        spec["recompute.kind"] = "selective"
    elif groups:
        spec |= {"recompute.kind": "ops", "recompute.ops": ",".join(groups)}
    if "recompute" not in point:
        cells["assumed"] += "; nothing computed again: not stated"
    return cells | {key: text(value) for key, value in spec.items()}


def titan_row(point):
    why = "which activations are kept is not stated, and torchtitan's usual choice (every second product) cannot be expressed"
    return {"why_not": why if (point["model"] or {}).get("name") else "model not named"}


def primus_row(_):
    return {"why_not": "sequence length, batches and recomputation not stated"}


def text(value):
    """A cell in the syntax of orrery's --set."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, list) else str(value)


def row(point, cells):
    measured = point.get("measured", {})
    cells |= {"id": point["id"], "gpu": DEVICES.get(point["hw"].get("gpu"), point["hw"].get("gpu") or ""),
              "n": text(point["hw"].get("num_gpus", "")), "outcome": point.get("outcome", "fits")}
    for key, name in COUNTERS.items():
        if key in measured:
            cells[name] = text(measured[key])
    notes = point.get("assumed")
    notes = list(notes.values()) if isinstance(notes, dict) else [notes] if notes else []
    cells["assumed"] = "; ".join([note for note in [cells.get("assumed")] if note] + notes)
    return cells


def write(path, rows):
    names = sorted({name for cells in rows for name in cells} - set(FIRST) - set(LAST))
    used = [name for name in FIRST if any(cells.get(name) for cells in rows)]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, used + names + LAST, restval="", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def points(folder, source):
    return json.loads((folder / f"{source}.json").read_text())["points"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sources, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, maker in (("megatron_bridge", bridge_row), ("torchtitan", titan_row), ("primus", primus_row)):
        source = {"megatron_bridge": "megatron_bridge_memory", "torchtitan": "torchtitan_quantization", "primus": "amd_primus"}[name]
        write(folder / f"{name}.csv", [row(point, maker(point)) for point in points(sources, source)
                                       if COUNTERS.keys() & point.get("measured", {}).keys() or "mem_max" in point["measured"]
                                       or point.get("outcome") == "oom"])
    write(folder / "megatron_golden.csv", [row(point, megatron_row(point)) for point in points(sources, "megatron_golden_memory")])


if __name__ == "__main__":
    main()
