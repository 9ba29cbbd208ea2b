# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def dlrm_shard(
    *,
    devices: Optional[int] = None,
    device: Optional[Value] = None,
    batch: Optional[int] = None,
    memory: Optional[Value] = None,
    most_tables: Optional[int] = None,
    sharder: Optional[Value] = None,
    whole: Optional[bool] = None,
    seed: Optional[int] = None,
    plot: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    tables: Optional[Value] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Assign embedding tables to devices: `orrery dlrm shard`.

    devices: Number of devices. Default: 8.
    device: Device of the catalog. Default: h100-sxm.
    batch: Samples per step, over all devices. Default: 65536.
    memory: Memory per device for tables; by default 0.8 of its memory. A size: 64MB.
    most_tables: Maximum number of tables or pieces of tables per device; 0: no limit. Default: 0.
    sharder: Use a known sharder: naive, random, size_greedy, lookup_greedy, norm_lookup_greedy,
        size_lookup_greedy. One of naive, random, size_greedy, lookup_greedy, norm_lookup_greedy,
        size_lookup_greedy.
    whole: Do not cut tables into pieces.
    seed: Random seed. Default: 1.
    plot: Plot the lookup time of each device as SVG.
    output: Write the placement to FILE as CSV ('-' for stdout), or to FILE.yaml as a DLRM
        specification.
    force: Overwrite FILE.
    tables: CSV with the columns name, rows, features, pooling; optionally format and reuse.
    """
    question = question_of(locals())
    return call_as(Answer, "dlrm shard", question, keep_run=keep_run, progress=progress)


def dlrm_lookup(
    *,
    offsets: Optional[Value] = None,
    lengths: Optional[Value] = None,
    tables: Optional[int] = None,
    bags: Optional[int] = None,
    pooling: Optional[int] = None,
    rows: Optional[int] = None,
    features: Optional[int] = None,
    dtype: Optional[Value] = None,
    histogram: Optional[Value] = None,
    like: Optional[Value] = None,
    device: Union[Value, Sequence[Value], None] = None,
    seed: Optional[int] = None,
    lookup_model: Optional[Value] = None,
    epochs: Optional[int] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    words: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Measure the reuse of embedding rows, and predict lookups: `orrery dlrm lookup`.

    offsets: File with the first index of each bag. Only for 'histogram', 'time'.
    lengths: File with the number of indices of each bag. Only for 'histogram', 'time'.
    tables: Number of tables; a file has the bags of the first, then of the second …. Only for
        'histogram', 'time'. Default: 0.
    bags: Bags per table. Only for 'synthesize', 'time'. Default: 0.
    pooling: Lookups per bag. Only for 'histogram', 'synthesize', 'time'. Default: 0.
    rows: Rows per table. Only for 'synthesize', 'time'. Default: 0.
    features: Numbers per row (embedding dimension). Only for 'time'. Default: 0.
    dtype: Format of the weights; by default fp32. Only for 'time'. Default: fp32.
    histogram: Shares of rows by number of reads: 17 numbers, or a file of them. Only for
        'synthesize', 'time'.
    like: File of indices whose histogram to use. Only for 'synthesize', 'time'.
    device: Devices of the catalog, separated by commas; by default h100-sxm. Only for 'time'.
    seed: Random seed; by default 1. Only for 'synthesize', 'fit'. Default: 1.
    lookup_model: time: neural networks that 'dlrm lookup fit' wrote. Only for 'time'.
    epochs: fit: number of epochs; by default 120. Only for 'fit'. Default: 0.
    output: Write the JSON to FILE ('-' for stdout); synthesize: the stream; fit: the nets.
    force: Overwrite FILE.
    words: histogram FILES, synthesize, or time [FILE].
    """
    question = question_of(locals())
    return call_as(Answer, "dlrm lookup", question, keep_run=keep_run, progress=progress)

