# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def job_generate(
    *,
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
    format: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Write traces from a model and a parallelism plan: `orrery job generate`.

    spec: Same as the argument SPEC.
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
    format: chakra, simai, yaml or json (the specification). One of chakra, simai, yaml, json.
        Default: chakra.
    output: Write traces PREFIX.0.et …, or the text of --format to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "job generate", question, keep_run=keep_run, progress=progress)


def job_count(
    *,
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
    cluster: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Count the FLOPs, bytes and messages of a training step: `orrery job count`.

    spec: Same as the argument SPEC.
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
    cluster: The cluster that runs the job.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "job count", question, keep_run=keep_run, progress=progress)


def job_together(
    *,
    cluster: Optional[Value] = None,
    network: Optional[Value] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    links: Optional[bool] = None,
    fold: Optional[Value] = None,
    collectives: Optional[Value] = None,
    skip: Optional[Value] = None,
    verify_fold: Optional[bool] = None,
    page: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    jobs: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Simulate several jobs that share a cluster: `orrery job together`.

    cluster: Cluster instead of the file's: a file, or a name of the catalog.
    network: analytical (no congestion), message (congestion), flow (shared links), packet (packets
        in queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message,
        flow, packet, noc, ns3.
    network_bandwidth: Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or
        a factor: inter=0.5.
    links: Print the links that jobs share, and the traffic of each job on them.
    fold: auto: simulate one rank for all identical ones; or off. One of auto, off. Default: auto.
    collectives: auto: compute the end of a collective if nothing contends; messages: simulate every
        message. One of auto, messages. Default: auto.
    skip: auto: skip iterations that repeat the previous one; or off. One of auto, off. Default:
        auto.
    verify_fold: Simulate with and without folding and compare every rank; exit code 1 if they
        differ.
    page: Web page to fill, instead of the built-in one.
    output: Write the run with all jobs to FILE.orrery, its web page to FILE.html, or the JSON to
        FILE.json ('-' for stdout).
    force: Overwrite FILE.
    jobs: The file of jobs (docs/reference/jobs.md).
    """
    question = question_of(locals())
    return call_as(Answer, "job together", question, keep_run=keep_run, progress=progress)

