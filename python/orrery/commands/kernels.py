# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def kernels(
    *,
    dtype: Optional[Value] = None,
    pass_: Optional[Value] = None,
    device: Union[Value, Sequence[Value], None] = None,
    table: Optional[Value] = None,
    kernel_model: Optional[Value] = None,
    systolic: Optional[Value] = None,
    cluster: Optional[Value] = None,
    compute: Optional[Value] = None,
    spec: Union[Value, Sequence[Value], None] = None,
    model: Optional[Value] = None,
    tp: Optional[Value] = None,
    pp: Optional[Value] = None,
    dp: Optional[Value] = None,
    cp: Optional[Value] = None,
    ep: Optional[Value] = None,
    sharding: Optional[Value] = None,
    schedule: Optional[Value] = None,
    chunks: Optional[Value] = None,
    recompute: Optional[Value] = None,
    global_batch: Optional[Value] = None,
    micro_batch: Optional[Value] = None,
    seq: Optional[Value] = None,
    precision: Optional[Value] = None,
    optimizer: Optional[Value] = None,
    offload: Optional[Value] = None,
    compat: Optional[Value] = None,
    sp: Optional[bool] = None,
    set: Union[Value, Sequence[Value], None] = None,
    all: Optional[bool] = None,
    device_sheets: Optional[Value] = None,
    seed: Optional[int] = None,
    held_back: Optional[bool] = None,
    by: Optional[Value] = None,
    classes: Union[Value, Sequence[Value], None] = None,
    epochs: Optional[int] = None,
    notes: Optional[Value] = None,
    no_leave_out: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    kernel: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Predict kernel times, and show which model predicts them: `orrery kernels`.

    dtype: Format of all operands, or of each: fp8,fp8>bf16. Only for one kernel.
    pass_: forward, input_grad, weight_grad or backward. Only for one kernel. One of forward,
        input_grad, weight_grad, backward.
    device: Devices of the catalog or the table, separated by commas; by default h100-sxm. Only for
        one kernel, 'check', 'context', 'plot'.
    table: Measured kernels, rows of device,kernel,us. Only for one kernel, 'check', 'context',
        'plot', a job.
    kernel_model: A model that 'kernels fit' wrote. Only for one kernel, 'context', 'plot', a job.
    systolic: A systolic array, as a configuration of SCALE-Sim. Only for one kernel, 'layers', a
        job.
    cluster: The cluster that runs the step. Only for a job.
    compute: Model of kernel times; by default the cluster file's. Only for 'context', 'plot', a
        job. One of auto, recorded, roofline, heuristic, learned, table, fitted, systolic.
    spec: Specifications, in any known format (docs/workloads.md).
    model: A model of the catalog (docs/reference/models.md).
    tp: Tensor parallel.
    pp: Pipeline stages.
    dp: Data parallel; by default the remaining devices of the cluster.
    cp: Context parallel.
    ep: Expert parallel.
    sharding: none, zero1, zero2, zero3 (fsdp), hsdp (in hosts of 8 devices).
    schedule: gpipe, 1f1b, interleaved, zb_h1, zb_v, dual_pipe.
    chunks: Parts of the model per rank.
    recompute: none, selective or full.
    global_batch: Sequences per step.
    micro_batch: Sequences per microbatch.
    seq: Tokens per sequence.
    precision: Format of matrix products: bf16, fp16, fp8, mxfp8 or nvfp4. One of bf16, fp16, fp8,
        mxfp8, nvfp4.
    optimizer: adam, adamw, sgd, sgd_momentum or muon.
    offload: In remote or host memory: optimizer, weights, activations[:LAYERS], ….
    compat: stage: count as the generator STAGE does, including its errors.
    sp: Sequence parallel: norms and residuals are split over --tp.
    set: Any key of the specification, e.g. kernels.fused=false.
    all: Show every distinct kernel of the step, or of the recordings. Only for 'context', a job.
    device_sheets: Data sheets of devices that are not in the catalog, as data/kernels/devices.txt.
        Only for 'fit', 'plot'.
    seed: Random seed, also of the choice of held-out kernels; by default 1. Only for 'fit', 'plot'.
        Default: 1.
    held_back: plot: only the 10 % of kernels that fits do not use. Only for 'plot'.
    by: fit: trees (XGBoost) or nets (neural networks); by default trees, if XGBoost is there. Only
        for 'fit'.
    classes: fit: only these classes, separated by commas: gemm_bf16,softmax. Only for 'fit'.
    epochs: fit: epochs of neural networks; by default about one minute per network. Only for 'fit'.
        Default: 0.
    notes: fit: file of text for the header of the model, such as sources. Only for 'fit'.
    no_leave_out: fit: skip the test that predicts each device from the others. Only for 'fit'.
    output: Write the JSON to FILE ('-' for stdout); plot: the plot; fit: the model.
    force: Overwrite FILE.
    kernel: An operation with its sizes, in order or as NAME=VALUE (gemm 4096 8192 k=8192), and
        traits (causal); or check TABLE, context TRACES, plot TABLES, layers TOPOLOGY.
    """
    question = question_of(locals())
    return call_as(Answer, "kernels", question, keep_run=keep_run, progress=progress)

