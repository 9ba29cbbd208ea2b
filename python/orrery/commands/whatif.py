# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def whatif(
    *,
    change: Union[Value, Sequence[Value], None] = None,
    list: Optional[bool] = None,
    combine: Optional[bool] = None,
    top: Optional[int] = None,
    cluster: Optional[Value] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    network_latency: Union[Value, Sequence[Value], None] = None,
    network_link: Union[Value, Sequence[Value], None] = None,
    groups: Optional[Value] = None,
    replicate: Optional[bool] = None,
    kernel_table: Optional[Value] = None,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    tensors: Optional[bool] = None,
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
    recorded_device: Optional[Value] = None,
    device_ratios: Optional[Value] = None,
    plot: Optional[Value] = None,
    gpu: Union[Value, Sequence[Value], None] = None,
    found: Optional[Value] = None,
    structure_file: Optional[Value] = None,
    changes: Optional[bool] = None,
    layers: Optional[int] = None,
    microbatches: Optional[int] = None,
    page: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Predict the effect of changes to a recording or a job: `orrery whatif`.

    change: A change; several apply together, in their order (--changes lists them).
    list: Try changes one at a time, and rank them by the time they save.
    combine: Also try pairs of the best changes, and print whether their savings add up.
    top: Number of changes of each kind that --list shows; 0: all. Default: 6.
    cluster: Simulate on this cluster.
    network_bandwidth: Bandwidth of the links of a dimension, before changes.
    network_latency: Latency per hop of a dimension, before changes.
    network_link: Links of a dimension, of the catalog, before changes.
    groups: Process groups of Chakra traces.
    replicate: Run the single trace on every rank of the cluster.
    kernel_table: Measured kernels, as written by 'orrery calibrate compute'.
    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Number of ranks that are read concurrently (0: all cores).
    no_link: Ignore execution traces if there are device traces.
    tensors: Also add dependencies by tensor.
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
    recorded_device: Device of the recording, for gpu=NAME; by default the one in the recording.
    device_ratios: Recorded / predicted times by class and device, for gpu=NAME, instead of the
        built-in table; none: predicted ratios only, and hosts as recorded.
    plot: Plot --list as SVG.
    gpu: Earlier form of --change gpu=NAME.
    found: Write the job inferred from traces, to be corrected and given as --spec; of replayed
        traces, the numbers of layers and microbatches, for --structure-file.
    structure_file: Layers and microbatches of the traces: a file of --found, corrected.
    changes: List the possible changes, and stop.
    layers: Number of layers in the traces, for layers=N, if 'trace info --structure' finds another.
    microbatches: Number of microbatches per step in the traces, likewise.
    page: Web page to fill, instead of the built-in one.
    output: Write the changed run to FILE.orrery, the web page of both runs to FILE.html, or the
        JSON to FILE.json ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "whatif", question, keep_run=keep_run, progress=progress)

