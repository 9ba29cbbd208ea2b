# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def trace_validate(
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
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    prefix: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Check traces and configurations without simulating: `orrery trace validate`.

    traces: Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces,
        Nsight SQLite, rocpd, XPlane, RunMetadata, tar archives.
    rank: Rank of a single trace that does not contain its rank. Default: -1.
    threads: Number of ranks that are read concurrently (0: all cores).
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
    output: Write the JSON to FILE ('-' for stdout), or the cluster with every key to FILE.yaml.
    force: Overwrite FILE.
    prefix: The workload: traces PREFIX.0.et, PREFIX.1.et, ….
    """
    question = question_of(locals())
    return call_as(Answer, "trace validate", question, keep_run=keep_run, progress=progress)

