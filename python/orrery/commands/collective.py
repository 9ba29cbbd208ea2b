# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def collective_compare(
    *,
    cluster: Optional[Value] = None,
    size: Optional[Value] = None,
    experts: Optional[int] = None,
    top_k: Optional[int] = None,
    dtype: Optional[Value] = None,
    network: Optional[Value] = None,
    chunk_order: Optional[Value] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    change: Union[Value, Sequence[Value], None] = None,
    ranks: Optional[Value] = None,
    collective: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Compare the algorithms for a collective with a lower bound: `orrery collective compare`.

    cluster: A cluster file, or a name of the catalog.
    size: Size of the full buffer: the larger of a rank's input and output; by default 1GB. A size:
        64MB.
    experts: dispatch, combine: number of experts on all ranks. Default: 0.
    top_k: dispatch, combine: number of experts per token. Default: 0.
    dtype: Number format, which limits reduction in switches: fp32, bf16 …; by default any.
    network: analytical (no congestion), message (congestion), flow (shared links), packet (packets
        in queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message,
        flow, packet, noc, ns3.
    chunk_order: Order of dimensions for chunks, instead of the cluster's; best: the fastest order
        and number of chunks that is found.
    network_bandwidth: Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or
        a factor: inter=0.5.
    change: A change of the cluster: NCCL_ALGO=Ring (docs/reference/nccl-variables.md),
        inter=25GB/s, latency=0.5.
    ranks: Ranks that take part: 0-7,16; by default all.
    collective: all-reduce, all-gather, reduce-scatter, all-to-all; for tokens of experts: dispatch,
        combine.
    """
    question = question_of(locals())
    return call_as(Answer, "collective compare", question, keep_run=keep_run, progress=progress)


def collective_check(
    *,
    size: Optional[Value] = None,
    cluster: Optional[Value] = None,
    network_bandwidth: Union[Value, Sequence[Value], None] = None,
    network: Optional[Value] = None,
    ranks: Union[Value, Sequence[Value], None] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    file: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Check a plan of a collective (MSCCL, MSCCL++, Chakra): `orrery collective check`.

    size: Size of the full buffer: the larger of a rank's input and output; by default 1GB. A size:
        64MB.
    cluster: Cluster to simulate the plan on: a file, or a name of the catalog.
    network_bandwidth: Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or
        a factor: inter=0.5.
    network: analytical (no congestion), message (congestion), flow (shared links), packet (packets
        in queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message,
        flow, packet, noc, ns3.
    ranks: Ranks of the cluster that run the plan: 0-7,16; by default the first; once per FILE.
    output: Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra
        traces.
    force: Overwrite FILE.
    file: A plan: MSCCL XML, MSCCL++ JSON, or the prefix of Chakra traces; several run concurrently.
    """
    question = question_of(locals())
    return call_as(Answer, "collective check", question, keep_run=keep_run, progress=progress)


def collective_synthesize(
    *,
    fabric: Optional[Value] = None,
    size: Optional[Value] = None,
    ranks: Union[Value, Sequence[Value], None] = None,
    root: Optional[int] = None,
    shard_chunks: Optional[int] = None,
    seed: Optional[int] = None,
    search: Optional[bool] = None,
    plot: Optional[Value] = None,
    html: Optional[Value] = None,
    page: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    collective: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Synthesize a collective for a fabric, with a lower bound: `orrery collective synthesize`.

    fabric: A fabric or a cluster.
    size: Size of the full buffer: the larger of a rank's input and output; by default 1GiB. A size:
        64MB. Default: 1073741824B.
    ranks: Only these ranks: 0-7,16; repeated: several groups, whose collectives run concurrently.
    root: broadcast, reduce: index of the root in its group; by default 0. Default: 0.
    shard_chunks: Chunks of each rank's shard; by default several numbers are tried. Default: 0.
    seed: Random seed; by default 1. Default: 1.
    search: Search even if the fabric is a torus, which has a constructive schedule.
    plot: Plot the use of links over time as SVG.
    html: Write the schedule as one self-contained web page.
    page: Web page to fill, instead of the built-in one.
    output: Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra
        traces. Only ranks forward data then. Several groups get one numbered plan each.
    force: Overwrite FILE.
    collective: all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce.
    """
    question = question_of(locals())
    return call_as(Answer, "collective synthesize", question, keep_run=keep_run, progress=progress)

