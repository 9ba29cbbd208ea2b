# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def goodput(
    *,
    cluster: Optional[Value] = None,
    step: Optional[Value] = None,
    step_tokens: Optional[int] = None,
    checkpoint_size: Optional[Value] = None,
    failure_rates: Optional[Value] = None,
    device_mtbf: Optional[Value] = None,
    node_mtbf: Optional[Value] = None,
    devices_per_node: Optional[int] = None,
    checkpoint_bandwidth: Optional[Value] = None,
    checkpoint_time: Optional[Value] = None,
    checkpoint_interval: Optional[Value] = None,
    restart_time: Optional[Value] = None,
    reshard_time: Optional[Value] = None,
    spare_nodes: Optional[int] = None,
    repair_time: Optional[Value] = None,
    tokens: Optional[float] = None,
    deadline: Optional[Value] = None,
    price: Optional[Value] = None,
    seed: Optional[int] = None,
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
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Predict goodput with failures, and days and cost to N tokens: `orrery goodput`.

    cluster: The cluster: a file, or NAME:DEVICES of the catalog.
    step: Measured step time; by default the job is simulated. A duration: 90d.
    step_tokens: Tokens of a step, for --step without a job. Default: 0.
    checkpoint_size: Size of a checkpoint; by default weights and optimizer states. A size: 64MB.
    failure_rates: Published failure rates (docs/goodput.md); llama-3-405b by default. One of
        llama-3-405b, rsc-1, rsc-2.
    device_mtbf: Mean time between failures of one device, instead of published rates. A duration:
        90d.
    node_mtbf: The same of one node, for all causes outside its devices. A duration: 90d.
    devices_per_node: Devices of a node; by default those of the cluster's hosts. Default: 0.
    checkpoint_bandwidth: Bandwidth of the storage for checkpoints, all nodes together; by default
        977 MB/s per node, as for Llama 3. A bandwidth: 50GB/s.
    checkpoint_time: Time that training stops for a checkpoint, instead of size / bandwidth: for
        asynchronous checkpoints, the copy to host memory. A duration: 90d.
    checkpoint_interval: Training between two checkpoints; by default the optimum. A duration: 90d.
    restart_time: Time from a failure until the job reads its checkpoint: detection, replacement,
        start; 10 min by default (docs/goodput.md). A duration: 90d. Default: 600s.
    reshard_time: Time to convert the checkpoint to another plan at a restart. A duration: 90d.
        Default: 0s.
    spare_nodes: Nodes that replace failed ones; by default a spare is always free.
    repair_time: Mean time until a failed node is usable again, for --spare-nodes. A duration: 90d.
    tokens: Tokens to train on: prints days and cost. Default: 0.
    deadline: Time available for --tokens: exit code 1 if the job needs longer. A duration: 90d.
    price: Price of a device per hour, in any currency.
    seed: Seed of the simulation. Default: 1.
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
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "goodput", question, keep_run=keep_run, progress=progress)

