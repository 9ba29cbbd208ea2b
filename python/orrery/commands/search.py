# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def search(
    *,
    part: Optional[Value] = None,
    html: Optional[Value] = None,
    page: Optional[Value] = None,
    executor: Optional[Value] = None,
    shares: Optional[int] = None,
    slurm_option: Union[Value, Sequence[Value], None] = None,
    check: Optional[bool] = None,
    gpu: Union[Value, Sequence[Value], None] = None,
    gpus: Union[int, Sequence[int], None] = None,
    cluster: Union[Value, Sequence[Value], None] = None,
    price: Union[Value, Sequence[Value], None] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    method: Optional[Value] = None,
    top: Optional[int] = None,
    simulated: Optional[int] = None,
    threads: Optional[int] = None,
    tokens: Optional[float] = None,
    deadline: Optional[Value] = None,
    goodput: Optional[float] = None,
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
    space: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Find the best parallelism plans of a job on a cluster: `orrery search`.

    part: Evaluate part K of N of a space, stored in FILE.part-K-of-N; env: from the launcher.
    html: Write the points of a space as one self-contained web page.
    page: Web page to fill, instead of the built-in one.
    executor: Evaluate points by threads, by mpi (processes of mpirun), or by slurm (writes a job
        array). One of threads, mpi, slurm. Default: threads.
    shares: Number of jobs of --executor slurm. Default: 64.
    slurm_option: Option of sbatch for these jobs: account=me, time=2:00:00.
    check: Only print the size of the space, and how much of it constraints on axes allow.
    gpu: Devices of the catalog.
    gpus: Numbers of devices, one cluster each.
    cluster: Clusters: files, or NAME:DEVICES.
    price: Price of a device per hour; without prices, cost is in device hours.
    network_bandwidth: Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or
        a factor: inter=0.5.
    method: Evaluation: estimate; simulate; or auto: estimate all, simulate the best. One of
        estimate, simulate, auto. Default: auto.
    top: Number of plans to show. Default: 10.
    simulated: Number of plans with the best estimates to simulate. Default: 20.
    threads: Number of threads; 0: all cores. Default: 0.
    tokens: Tokens to train on: prints days, and cost with --price. Default: 0.
    deadline: Time available for --tokens: marks plans that need longer; exit code 1 if all do. A
        duration: 90d.
    goodput: Share of the time that trains, above 0 to 1; by default as 'orrery goodput' predicts it
        with published failure rates.
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
    output: Write the best plan as a specification; for a space, store its points.
    force: Overwrite FILE.
    space: A space of jobs and clusters (docs/reference/space.md), instead of a job.
    """
    question = question_of(locals())
    return call_as(Answer, "search", question, keep_run=keep_run, progress=progress)

