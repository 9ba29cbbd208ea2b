# SPDX-License-Identifier: Apache-2.0
"""Rows of NeuSight's end-to-end labels (Lee et al., ASPLOS 2025; scripts/asplos/label) for measured_steps.py.

Models of Hugging Face in eager PyTorch, in fp32 without TF32 (the times of its A100s match fp32 units). A label covers forward
and backward, without an optimizer. The rows use sgd instead: 12 bytes of memory traffic per weight.
"""

# GB/s per device and direction in a node: NVLink 3 and 4; 0 if all points have a single device.
MACHINES = {"NVIDIA A100-SXM4-40GB": ("a100-40gb", 300), "NVIDIA A100 80GB PCIe": ("a100-pcie-80gb", 0),
            "NVIDIA H100 80GB HBM3": ("H100", 450), "NVIDIA L4": ("l4", 0)}
JOB = {"kernels.framework": "pytorch", "kernels.flash_attention": "false", "optimizer.kind": "sgd",
       "optimizer.gradient_norm": "false", "precision.weights": "fp32", "precision.activations": "fp32",
       "precision.gradients": "fp32", "precision.reduce": "fp32", "recompute.kind": "none"}
# Vocabularies from the models' configurations at Hugging Face.
VOCABULARY = {"bert_large": 30522, "gpt2_large": 50257, "gpt3_xl": 50257, "gpt3_27": 50257, "opt_13": 50272}


def cells_of(point):
    """A row of the table."""
    model, plan, batch = point["model"], point["par"], point["batch"]["global"]
    called = point["hw"]["gpu"]
    cells = {"id": point["id"], "model_name": model["name"], "n": point["hw"]["num_gpus"],
             "measured_s": round(point["measured"]["iter_time_s"], 6), "why_not": ""}
    if called not in MACHINES:
        cells["why_not"] = f"gpu: {called} not modeled"
    elif "layers" not in model:
        cells["why_not"] = "source: shape of the model not stated"
    if cells["why_not"]:
        return cells
    device, rate = MACHINES[called]
    cells.update(JOB)
    cells.update({"gpu": device, "dom": cells["n"], "prec": "fp32", "model.layers": model["layers"], "model.hidden": model["hidden"],
                  "model.heads": model["heads"], "model.vocab": VOCABULARY[model["name"]],
                  "model.kind": "encoder" if model["name"].startswith("bert") else "decoder", "batch.seq": model["seq"],
                  "batch.global": batch, "parallel.tp": plan["tp"], "parallel.pp": plan["pp"], "parallel.dp": plan["dp"],
                  # pp4_1: the whole batch is one microbatch.
                  "batch.micro": batch // plan["dp"], "assumed": "optimizer=sgd"})
    if rate:
        cells["nvl"] = rate
    return cells


def rows_of(published):
    return [{key: str(value) for key, value in cells_of(point).items()} for point in published]
