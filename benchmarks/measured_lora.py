# SPDX-License-Identifier: Apache-2.0
"""Rows of MLPerf's Llama 2 70B LoRA benchmark for measured_steps.py. jobs.json.gz does not contain these steps."""

# The reference (mlcommons/training, llama2_70b_lora, README): rank 16 on qkv_proj and o_proj, sequences packed to 8,192.
MODEL = {"model.layers": 80, "model.hidden": 8192, "model.heads": 64, "model.kv_heads": 8, "model.ffn": 28672,
         "model.vocab": 32000, "model.mlp": "swiglu", "model.mlp_bias": "false", "model.norm": "rmsnorm",
         "model.out_bias": "false", "model.positions": "rope", "model.qkv_bias": "false",
         "model.tied_embeddings": "false", "lora.rank": 16, "lora.targets": '["qkv", "out"]', "batch.seq": 8192}
# Weights are stored in fp8 (NeMo's fp8_params): otherwise they would exceed the memory of one device without tp.
PLAN = {"batch.micro": 1, "kernels.flash_attention": "true", "kernels.framework": "megatron", "recompute.kind": "none",
        "precision.weights": "fp8", "precision.activations": "bf16", "precision.gradients": "bf16",
        "precision.reduce": "bf16", "precision.scaling": "delayed"}
# GB/s per device and direction inside an island and between islands, from data sheets: NVLink 4 and 5, seven xGMI links of
# 64 and 76.8 GB/s; one 400 Gb/s port per device.
MACHINES = {"H100": ("H100", 450, 50), "H200-SXM": ("H200", 450, 50), "B200": ("B200", 900, 50), "MI300X": ("MI300X", 448, 50),
            "MI325X": ("MI325X", 448, 50), "MI355X": ("MI355X", 537.6, 50)}


def step_of(point):
    """Seconds per step: from the log, or batch / logged rate (samples/s)."""
    measured = point["measured"]
    if measured.get("iter_time_s"):
        return measured["iter_time_s"]
    rate = measured.get("logged_throughput")
    return round(point["batch"]["global"] / rate, 5) if rate else None


def why_not(point, machine):
    """Why the log and its configuration do not define a job; empty if they do."""
    plan, batch, devices = point["par"], point["batch"], point["hw"]["num_gpus"]
    amd = "MI3" in point["hw"]["gpu"]
    if step_of(point) is None:
        return "measurement: no step time"
    if not plan or plan["tp"] * plan["pp"] * plan["cp"] * plan["dp"] != devices:
        return "source: no plan"
    file = point["config_file"] or ""
    if amd != ("config_MI" in file) or ("DGXB200" in file and machine != "B200"):
        return "source: the configuration is another machine's"
    if plan["dp"] * batch.get("per_dp_minibatch", 0) != batch["global"]:
        return "source: plan and batch do not agree"
    if "NVFP4" in (point["precision"] or "") or not (point["precision"] or amd):
        return "source: formats not stated"
    if machine is None:
        return f"gpu: {point['hw']['gpu']} not modeled"
    return ""


def cells_of(point):
    """A row of the table."""
    called = next((name for name in MACHINES if name in point["hw"]["gpu"]), None)
    machine, inside, between = MACHINES[called] if called else (None, 0, 0)
    cells = {"id": point["id"], "model_name": point["model"]["name"], "measured_s": step_of(point) or "",
             "n": point["hw"]["num_gpus"], "why_not": why_not(point, machine)}
    if cells["why_not"]:
        return cells
    plan = point["par"]
    # AMD states that its submissions train in fp8; the logs do not contain the format.
    assumed = ["recompute=none", "micro=1", "weights=fp8"] + ([] if point["precision"] else ["fp8"])
    cells.update(MODEL)
    cells.update(PLAN)
    cells.update({"gpu": machine, "dom": min(point["hw"]["gpus_per_node"], cells["n"]), "nvl": inside, "ib": between, "prec": "fp8",
                  "batch.global": point["batch"]["global"], "parallel.tp": plan["tp"], "parallel.pp": plan["pp"],
                  "parallel.cp": plan["cp"], "parallel.dp": plan["dp"], "parallel.sharding": "zero1",
                  "assumed": "; ".join(assumed)})
    if plan["tp"] > 1:
        cells["parallel.sp"] = "true"
    return cells


def add_lora(rows, published):
    """Replaces rows without a job by LoRA rows, and appends the LoRA rows that have no row yet."""
    at = {cells["id"]: i for i, cells in enumerate(rows)}
    for point in published:
        if "llama2_70b_lora" not in point["id"]:
            continue
        cells = {key: str(value) for key, value in cells_of(point).items()}
        if point["id"] in at:
            rows[at[point["id"]]] = cells
        else:
            rows.append(cells)
