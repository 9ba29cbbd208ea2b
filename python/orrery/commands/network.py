# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def network_show(
    *,
    route: Union[Value, Sequence[Value], None] = None,
    tp: Optional[int] = None,
    list_nodes: Optional[bool] = None,
    plot: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    file: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Describe a fabric, plot it, and show routes: `orrery network show`.

    route: Print the route between two ranks or named nodes.
    tp: Size of tensor-parallel groups; warns if a group crosses hosts. Default: 0.
    list_nodes: List every node.
    plot: Plot the fabric as SVG.
    output: Write the fabric to FILE as InfraGraph 2.4 ('-' for stdout).
    force: Overwrite FILE.
    file: A fabric or a cluster.
    """
    question = question_of(locals())
    return call_as(Answer, "network show", question, keep_run=keep_run, progress=progress)


def network_check(
    *,
    groups: Optional[Value] = None,
    replicate: Optional[bool] = None,
    cluster: Optional[Value] = None,
    collective_algorithm: Optional[Value] = None,
    compute: Optional[Value] = None,
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
    limit: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    prefix: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Compare the network models on a job: error and cost of each: `orrery network check`.

    groups: Process groups of Chakra traces.
    replicate: Run the single trace on every rank.
    cluster: The cluster, for all network models.
    collective_algorithm: Algorithm of collectives on all networks.
    compute: Source of compute times. One of auto, recorded, roofline, heuristic, learned, table,
        fitted, systolic.
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
    limit: Skip network models that need more CPU time by their estimate; by default 2 min. Default:
        2 min.
    output: Write the table to FILE.csv, or the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    prefix: The workload: traces PREFIX.0.et, PREFIX.1.et, …, or a file of messages.
    """
    question = question_of(locals())
    return call_as(Answer, "network check", question, keep_run=keep_run, progress=progress)


def network_compare(
    *,
    cluster: Union[Value, Sequence[Value], None] = None,
    price: Union[Value, Sequence[Value], None] = None,
    workload: Optional[Value] = None,
    groups: Optional[Value] = None,
    replicate: Optional[bool] = None,
    network: Optional[Value] = None,
    collective_algorithm: Optional[Value] = None,
    compute: Optional[Value] = None,
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
    networks: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Compare a job on several networks: `orrery network compare`.

    cluster: A cluster, as the arguments; may be repeated.
    price: Price of a device per hour, in any currency: one for all networks, or one for each.
    workload: Prefix of Chakra traces.
    groups: Process groups of Chakra traces.
    replicate: Run the single trace on every rank.
    network: Network model for all networks. One of analytical, message, flow, packet, noc, ns3.
    collective_algorithm: Algorithm of collectives on all networks.
    compute: Source of compute times. One of auto, recorded, roofline, heuristic, learned, table,
        fitted, systolic.
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
    networks: Clusters, or changes of the links of the first one: inter=25GB/s, inter=roce-400,
        inter=25GB/s,2us.
    """
    question = question_of(locals())
    return call_as(Answer, "network compare", question, keep_run=keep_run, progress=progress)


def network_split(
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
    total: Optional[Value] = None,
    objective: Optional[Value] = None,
    cost: Optional[Value] = None,
    min_bandwidth: Union[Value, Sequence[Value], None] = None,
    max_bandwidth: Union[Value, Sequence[Value], None] = None,
    order: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Split bandwidth among the dimensions of a network for a job: `orrery network split`.

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
    cluster: The cluster: a file with dimensions, or NAME:DEVICES ('h100-sxm:64').
    total: Bandwidth per device over all dimensions; by default that of the cluster.
    objective: time: communication time; time-cost: (compute + communication) x cost. One of time,
        time-cost. Default: time.
    cost: Cost of 1 GB/s in each dimension, innermost first (2,2,57.4), in any currency.
    min_bandwidth: Minimum bandwidth of a dimension: '1=50 GB/s'; may be repeated.
    max_bandwidth: Maximum bandwidth of a dimension: '1=50 GB/s'; may be repeated.
    order: Dimensions in order of bandwidth, none less than the next: 0,1,2.
    output: Write the cluster file with the best split to FILE ('-' for stdout).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "network split", question, keep_run=keep_run, progress=progress)


def network_noc(
    *,
    topology: Optional[Value] = None,
    size: Optional[Value] = None,
    concentration: Optional[int] = None,
    link_cycles: Optional[int] = None,
    pattern: Optional[Value] = None,
    load: Union[Value, Sequence[Value], None] = None,
    packet: Optional[int] = None,
    trace: Optional[Value] = None,
    hot_node: Optional[int] = None,
    hot_share: Optional[float] = None,
    seeds: Optional[int] = None,
    saturation: Optional[bool] = None,
    routing: Optional[Value] = None,
    channels: Optional[int] = None,
    buffer: Optional[int] = None,
    stages: Optional[int] = None,
    credit_cycles: Optional[int] = None,
    speedup: Optional[int] = None,
    allocator_iterations: Optional[int] = None,
    channel_allocator: Optional[Value] = None,
    switch_allocator: Optional[Value] = None,
    switching: Optional[Value] = None,
    waits_for_tail: Optional[bool] = None,
    warm_up_periods: Optional[int] = None,
    period_cycles: Optional[int] = None,
    periods: Optional[int] = None,
    latency_limit: Optional[float] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Measure synthetic traffic in a network of routers, cycle by cycle: `orrery network noc`.

    topology: mesh, torus, ring, crossbar or fully-connected. One of mesh, torus, ring, crossbar,
        fully-connected. Default: mesh.
    size: Routers of each dimension; one number for a ring, a crossbar (its nodes) and a fully
        connected network. Default: 8x8.
    concentration: Nodes of each router. Default: 1.
    link_cycles: Cycles of a link between routers. Default: 1.
    pattern: uniform, transpose, complement, shuffle, hot-spot or trace. One of uniform, transpose,
        complement, shuffle, hot-spot, trace. Default: uniform.
    load: Loads to simulate, in flits per node and cycle; without it: ten steps up to the bound of
        the bisection.
    packet: Flits of a packet. Default: 1.
    trace: --pattern trace: packets, a line each: cycle, source, destination, flits.
    hot_node: --pattern hot-spot: the node that gets more. Default: 0.
    hot_share: --pattern hot-spot: share of the packets that go to it. Default: 0.1.
    seeds: Runs per load, with other random numbers. Default: 3.
    saturation: Find the load with three times the latency without contention, by bisection.
    routing: auto, xy, yx, o1turn, adaptive, xy_escape, valiant, shortest or up_down. One of auto,
        xy, yx, o1turn, adaptive, xy_escape, valiant, shortest, up_down. Default: auto.
    channels: Virtual channels of a link. Default: 4.
    buffer: Flits of a channel's buffer. Default: 8.
    stages: Stages of a router's pipeline. Default: 3.
    credit_cycles: Cycles until a router uses a credit that has arrived. Default: 1.
    speedup: Inputs into the switch for each port. Default: 1.
    allocator_iterations: Rounds of `islip` per cycle. Default: 1.
    channel_allocator: islip, separable or wavefront. One of islip, separable, wavefront. Default:
        islip.
    switch_allocator: islip, separable or wavefront. One of islip, separable, wavefront. Default:
        islip.
    switching: wormhole or cut_through. One of wormhole, cut_through. Default: wormhole.
    waits_for_tail: A channel serves the next packet only when its buffer is empty.
    warm_up_periods: Periods before the measurement. Default: 3.
    period_cycles: Cycles of a period. Default: 1000.
    periods: Most periods, with the warm-up. Default: 10.
    latency_limit: Mean latency, in cycles, above which a run ends as saturated; without it: 20
        times that without contention.
    output: Write latency by load to FILE, as a picture (SVG).
    force: Overwrite FILE.
    """
    question = question_of(locals())
    return call_as(Answer, "network noc", question, keep_run=keep_run, progress=progress)

