# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def run(
    *,
    traces: Union[Value, Sequence[Value], None] = None,
    rank: Optional[int] = None,
    threads: Optional[int] = None,
    no_link: Optional[bool] = None,
    tensors: Optional[bool] = None,
    workload: Optional[Value] = None,
    groups: Optional[Value] = None,
    replicate: Optional[bool] = None,
    repair: Optional[bool] = None,
    cluster: Optional[Value] = None,
    astra_network: Optional[Value] = None,
    astra_system: Optional[Value] = None,
    astra_memory: Optional[Value] = None,
    num_queues_per_dim: Optional[int] = None,
    injection_scale: Optional[float] = None,
    compute_scale: Optional[float] = None,
    comm_scale: Optional[float] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    network_latency: Union[Value, Sequence[Value], None] = None,
    network_link: Union[Value, Sequence[Value], None] = None,
    network: Optional[Value] = None,
    collective_algorithm: Optional[Value] = None,
    chunk_order: Optional[Value] = None,
    compute: Optional[Value] = None,
    kernel_table: Optional[Value] = None,
    kernel_model: Optional[Value] = None,
    systolic: Optional[Value] = None,
    rules: Optional[Value] = None,
    rendezvous_protocol: Optional[Value] = None,
    logging_configuration: Optional[Value] = None,
    logging_folder: Optional[Value] = None,
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
    fold: Optional[Value] = None,
    collectives: Optional[Value] = None,
    skip: Optional[Value] = None,
    verify_fold: Optional[bool] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    page: Optional[Value] = None,
    spans: Optional[Value] = None,
    without: Union[Value, Sequence[Value], None] = None,
    variability: Optional[Value] = None,
    draws: Optional[int] = None,
    seed: Optional[int] = None,
    same_fleet: Optional[bool] = None,
    simulate_draws: Optional[bool] = None,
    verify_draws: Optional[int] = None,
    plot: Optional[Value] = None,
    all: Optional[bool] = None,
    effects: Optional[bool] = None,
    require_fit: Optional[bool] = None,
    price: Optional[Value] = None,
    power: Optional[Value] = None,
    checkpoint: Optional[Value] = None,
    checkpoint_at: Optional[Value] = None,
    resume: Optional[Value] = None,
    prefix: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Simulate a workload on a cluster, and break its step down: `orrery run`.

    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Threads that read and simulate (0: all cores); by default all read and one simulates.
    no_link: Ignore execution traces if there are device traces.
    tensors: Also add dependencies by tensor.
    workload: Prefix of the Chakra traces, as the argument PREFIX.
    groups: Process groups, JSON: {"NAME": [ranks]}. NAME is the pg_name of nodes; nodes without one
        communicate with all ranks.
    replicate: Every rank runs the trace of rank 0 (PREFIX may be a file).
    repair: Drop and count damaged nodes and edges instead of failing.
    cluster: The cluster, as YAML or JSON ('orrery schema cluster').
    astra_network: Network, YAML.
    astra_system: System, JSON.
    astra_memory: Remote memory, JSON.
    num_queues_per_dim: Queues per dimension. Default: 1.
    injection_scale: Multiplies endpoint-delay. Default: 1.
    compute_scale: Has no effect, as in ASTRA-sim. Default: 1.
    comm_scale: Has no effect, as in ASTRA-sim. Default: 1.
    network_bandwidth: Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or
        a factor: inter=0.5.
    network_latency: Latency per hop of a dimension: inter=2us, or a factor.
    network_link: Links of a dimension, of the catalog: inter=roce-400 (docs/reference/catalog.md).
    network: analytical (no congestion), message (congestion), flow (shared links), packet (packets
        in queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message,
        flow, packet, noc, ns3.
    collective_algorithm: One name, or one per dimension: ring, direct, halving_doubling,
        double_binary_tree, in_network or auto, the fastest; by default the cluster's.
    chunk_order: Order of dimensions for chunks, instead of the cluster's: ascending, themis …;
        best: the fastest order and number of chunks that is found (docs/chunk-order.md).
    compute: Source of compute times: auto, recorded, roofline, heuristic, learned, table, fitted,
        systolic; by default the cluster file's. One of auto, recorded, roofline, heuristic,
        learned, table, fitted, systolic.
    kernel_table: Measured kernels, which `auto` and `table` use first (docs/kernel-times.md).
    kernel_model: A model written by 'orrery kernels fit', which `auto` uses after the table.
    systolic: For `--compute systolic`: a SCALE-Sim configuration of an array.
    rules: orrery or astra; by default those of the cluster's files. One of orrery, astra.
    rendezvous_protocol: Rendezvous: a sender waits until the receiver is ready.
    logging_configuration: Has no effect.
    logging_folder: Has no effect.
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
    fold: auto: simulate one rank for all identical ones; or off. One of auto, off. Default: auto.
    collectives: auto: compute the end of a collective if nothing contends; messages: simulate every
        message. One of auto, messages. Default: auto.
    skip: auto: skip iterations that repeat the previous one; or off. One of auto, off. Default:
        auto.
    verify_fold: Simulate with and without folding and compare every rank; exit code 1 if they
        differ.
    output: Write the run to FILE.orrery, its web page to FILE.html, or the JSON to FILE.json ('-'
        for stdout).
    force: Overwrite FILE.
    page: Web page to fill, instead of the built-in one.
    spans: Spans that the run file stores: all, critical or none. One of all, critical, none.
    without: Disable an effect (docs/scoreboard.md); may be repeated.
    variability: Variability of ranks and steps: a file, or a name of the catalog.
    draws: Number of sampled steps. Default: 1000.
    seed: Random seed of the samples. Default: 1.
    same_fleet: Sample the ranks' speeds once: steps of one fleet, not of many.
    simulate_draws: Simulate every sampled step, instead of using the fast path.
    verify_draws: Number of samples to also simulate, to print the error of the fast path. Default:
        2.
    plot: Plot the cost of variability by number of ranks as SVG.
    all: Show every kind of communication.
    effects: Simulate again without each effect, and show the difference.
    require_fit: Exit with code 1 if the job does not fit into memory.
    price: Price of a device per hour: prints cost per million tokens.
    power: Power of a device in W: catalog, 700, or idle and busy: 100-700.
    checkpoint: Write the state of the simulation to this file every minute.
    checkpoint_at: Write it once, at this simulated time, instead of every minute.
    resume: Continue from a checkpoint of the same job; the result is the same.
    prefix: The workload: traces PREFIX.0.et, PREFIX.1.et, ….
    """
    question = question_of(locals())
    return call_as(Answer, "run", question, keep_run=keep_run, progress=progress)

