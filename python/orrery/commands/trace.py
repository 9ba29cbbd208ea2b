# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def trace_info(
    *,
    groups: Optional[Value] = None,
    structure: Optional[bool] = None,
    plot: Optional[Value] = None,
    repair: Optional[bool] = None,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    tensors: Optional[bool] = None,
    view: Union[Value, Sequence[Value], None] = None,
    html: Optional[Value] = None,
    page: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    prefix: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Show the contents of traces: `orrery trace info`.

    groups: Process groups, JSON: {"NAME": [ranks]}; NAME is the pg_name of nodes.
    structure: Show the repeated parts of each rank's work instead: steps, microbatches, layers.
    plot: Plot this structure as SVG (implies --structure).
    repair: Drop damaged nodes and edges, and count them.
    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Number of ranks that are read concurrently (0: all cores).
    no_link: Ignore execution traces if there are device traces.
    tensors: Also add dependencies by tensor.
    view: Tables of recorded traces: operators, modules, gemms, categories, collectives, launches,
        idle, sequences, ranges, memory, or all. One of operators, modules, gemms, categories,
        collectives, launches, idle, sequences, ranges, memory, all.
    html: Write the tables of recorded traces as one web page.
    page: Web page to fill, instead of the built-in one.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    prefix: Chakra traces (their common prefix, or files), recorded traces, or dumps of PyTorch's
        flight recorder (their folder, or files).
    """
    question = question_of(locals())
    return call_as(Answer, "trace info", question, keep_run=keep_run, progress=progress)


def trace_merge(
    *,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Link execution traces with device traces: `orrery trace merge`.

    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Number of ranks that are read concurrently (0: all cores).
    no_link: Ignore execution traces if there are device traces.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace merge", question, keep_run=keep_run, progress=progress)


def trace_convert(
    *,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    tensors: Optional[bool] = None,
    npus: Optional[int] = None,
    passes: Optional[int] = None,
    large: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Convert recorded traces to Chakra, and Chakra traces to text: `orrery trace convert`.

    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Only for recorded traces. Default:
        -1.
    threads: Number of ranks that are read concurrently (0: all cores). Only for recorded traces.
    no_link: Ignore execution traces if there are device traces. Only for recorded traces.
    tensors: Also add dependencies by tensor. Only for recorded traces.
    npus: ASTRA-sim 1.0 text: number of ranks. Only for ASTRA-sim 1.0 text. Default: 0.
    passes: ASTRA-sim 1.0 text: number of iterations. Only for ASTRA-sim 1.0 text. Default: 1.
    large: Allow dot and GraphML with more than 10,000 nodes. Only for dot and GraphML.
    output: Write traces PREFIX.0.et …, or one trace to FILE.json, FILE.dot or FILE.graphml.
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace convert", question, keep_run=keep_run, progress=progress)


def trace_slice(
    *,
    iteration: Optional[int] = None,
    from_: Optional[Value] = None,
    to: Optional[Value] = None,
    ranks: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    traces: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Cut an iteration, a time window or some ranks out of traces: `orrery trace slice`.

    iteration: Number of the iteration, the N of ProfilerStep#N.
    from_: Begin, from the first recorded time on: '1.5 ms'. A time: 10us.
    to: End, exclusive. A time: 10us.
    ranks: Only these ranks: 0,4-7.
    output: Write the part to FILE, or several files to FOLDER/.
    force: Overwrite FILE.
    traces: Files or patterns.
    """
    question = question_of(locals())
    return call_as(Answer, "trace slice", question, keep_run=keep_run, progress=progress)


def trace_anonymize(
    *,
    salt: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    prefix: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Write Chakra traces that you can show to others: `orrery trace anonymize`.

    salt: Equal names stay equal in all traces with this salt; keep it secret.
    output: Write traces PREFIX.0.et …, or one trace to FILE.
    force: Overwrite FILE.
    prefix: Traces PREFIX.0.et …, or one file.
    """
    question = question_of(locals())
    return call_as(Answer, "trace anonymize", question, keep_run=keep_run, progress=progress)


def trace_diff(
    *,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    traces: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Compare two traces of a rank: what is new, gone or slower: `orrery trace diff`.

    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    traces: The first and the second trace.
    """
    question = question_of(locals())
    return call_as(Answer, "trace diff", question, keep_run=keep_run, progress=progress)


def trace_replay(
    *,
    scale: Union[Value, Sequence[Value], None] = None,
    ignore: Union[Value, Sequence[Value], None] = None,
    learn: Optional[bool] = None,
    kineto: Optional[Value] = None,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    tensors: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Simulate a recording again, and measure the error: `orrery trace replay`.

    scale: Scale recorded times of host, kernels, copies, communication, or of kernels by part of
        their name.
    ignore: Ignore dependencies of a kind: lanes (order within a stream), lags, launch-latency,
        streams (waits for each other), threads (hand-offs), think-time, rendezvous.
    learn: Predict each step with the times of the step before it, and print the error.
    kineto: Write the simulated times as a trace for Perfetto and HTA; several ranks:
        FILE.rank0.json ….
    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Number of ranks that are read concurrently (0: all cores).
    no_link: Ignore execution traces if there are device traces.
    tensors: Also add dependencies by tensor.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace replay", question, keep_run=keep_run, progress=progress)


def trace_predict(
    *,
    overheads: Union[Value, Sequence[Value], None] = None,
    own: Optional[bool] = None,
    use_models: Optional[bool] = None,
    device: Optional[Value] = None,
    unprofiled: Optional[bool] = None,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    tensors: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Predict a recorded step from typical operator times: `orrery trace predict`.

    overheads: Use host times of these recordings instead of those of the other ranks.
    own: Use each rank's own host times, to measure the error of their means.
    use_models: Predict kernel times with models of the recorded device.
    device: Predict kernel times for this device of the catalog (implies --use-models).
    unprofiled: Remove the overhead of the profiler.
    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Number of ranks that are read concurrently (0: all cores).
    no_link: Ignore execution traces if there are device traces.
    tensors: Also add dependencies by tensor.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace predict", question, keep_run=keep_run, progress=progress)


def trace_stragglers(
    *,
    steps: Optional[int] = None,
    min_share: Optional[float] = None,
    top: Optional[int] = None,
    cluster: Optional[Value] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    groups: Optional[Value] = None,
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
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Find the ranks, kernels and links that delay others: `orrery trace stragglers`.

    steps: Number of steps in the traces; by default the repetitions found. Default: 0.
    min_share: Smallest share of the time that a reported straggler costs. Default: 0.01.
    top: Number of worst ranks, kernel classes and links to try. Default: 6.
    cluster: Simulate on this cluster first.
    network_bandwidth: Bandwidth of the links of a dimension.
    groups: Process groups of Chakra traces.
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
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace stragglers", question, keep_run=keep_run, progress=progress)


def trace_scale_down(
    *,
    keep_ranks: Optional[Value] = None,
    keep_layers: Optional[int] = None,
    keep_microbatches: Optional[int] = None,
    keep_batch: Optional[Value] = None,
    keep: Optional[Value] = None,
    cluster: Optional[Value] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    groups: Optional[Value] = None,
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
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Make a smaller job that represents a large one: `orrery trace scale-down`.

    keep_ranks: Remaining ranks: in total (4), or along axes (dp=2,pp=2); other axes stay unchanged.
    keep_layers: Number of remaining layers, over all remaining stages.
    keep_microbatches: Number of remaining microbatches per step.
    keep_batch: Remaining share of the samples of a microbatch: 1/4. Default: 1.
    keep: What smaller groups preserve: buffers (of collectives), volume (bytes that each rank
        sends), stated (sizes of nodes), job (buffers and the model). One of buffers, volume,
        stated, job. Default: buffers.
    cluster: Simulate on this cluster and on a part of it.
    network_bandwidth: Bandwidth of the links of a dimension.
    groups: Process groups of Chakra traces.
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
    output: Write the smaller job as Chakra traces, PREFIX.0.et ..., and its cluster.
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace scale-down", question, keep_run=keep_run, progress=progress)


def trace_learn(
    *,
    random_jobs: Optional[int] = None,
    seed: Optional[int] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    corpus: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Learn the traces of many training jobs: `orrery trace learn`.

    random_jobs: Also learn N random dense decoders. Default: 0.
    seed: Seed of the random jobs. Default: 0.
    output: Write the learned traces to FILE.
    force: Overwrite FILE.
    corpus: Specifications of jobs, or folders with such files (.yaml, .yml).
    """
    question = question_of(locals())
    return call_as(Answer, "trace learn", question, keep_run=keep_run, progress=progress)


def trace_synthesize(
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
    learned: Optional[Value] = None,
    seed: Optional[int] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Synthesize traces of a job from learned traces: `orrery trace synthesize`.

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
    learned: Learned traces, of 'orrery trace learn'.
    seed: Seed of the sampling; by default 1. Default: 1.
    output: Write traces PREFIX.0.et ….
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "trace synthesize", question, keep_run=keep_run, progress=progress)

