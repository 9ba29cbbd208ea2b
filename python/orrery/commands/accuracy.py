# SPDX-License-Identifier: Apache-2.0
# Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.

from __future__ import annotations

from typing import Optional, Sequence, Union

from ..answer import Answer, ProgressOption, Value, call_as, question_of


def accuracy(
    *,
    compute: Optional[Value] = None,
    without: Union[Value, Sequence[Value], None] = None,
    threads: Optional[int] = None,
    effects: Optional[bool] = None,
    fit: Optional[bool] = None,
    predict_only: Union[Value, Sequence[Value], None] = None,
    max_error: Optional[float] = None,
    plot: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    file: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Compare predicted steps with measured ones: `orrery accuracy`.

    compute: Source of kernel times, as for 'orrery run'. One of auto, recorded, roofline,
        heuristic, learned, table, fitted, systolic.
    without: Switch an effect off; may be repeated.
    threads: Points that are predicted concurrently; 0: one per core. Default: 1.
    effects: Predict all steps again without each effect in turn.
    fit: Fit the slowdown of kernels in steps; predict each source with factors of the others.
    predict_only: With --fit: measured steps to predict but not to fit to; may be repeated.
    max_error: Exit code 1 if the median error is above this.
    plot: Plot predicted against measured steps as SVG.
    output: Write the JSON to FILE ('-' for stdout).
    force: Overwrite FILE.
    file: Measured steps.
    """
    question = question_of(locals())
    return call_as(Answer, "accuracy", question, keep_run=keep_run, progress=progress)


def calibrate(
    *,
    device: Optional[Value] = None,
    date: Optional[Value] = None,
    collective: Optional[Value] = None,
    world_size: Optional[int] = None,
    nodes: Optional[int] = None,
    steps: Optional[int] = None,
    device_sheets: Optional[Value] = None,
    write_tuner: Optional[Value] = None,
    plot: Optional[Value] = None,
    write_model: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    what: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Fit models of your cluster to measurements: `orrery calibrate`.

    device: Device of the catalog, if the files name none. Only for 'network', 'compute',
        'overheads'.
    date: Date of the measurement, if the files have none: 2026-01-31. Only for 'network',
        'compute', 'overheads'.
    collective: network: the collective, if the files name none. Only for 'network'.
    world_size: network: number of ranks, if the files do not contain it. Only for 'network'.
        Default: 0.
    nodes: network: number of nodes, if the files do not contain it. Only for 'network'. Default: 0.
    steps: variability: number of steps in the traces; by default the repetitions found. Only for
        'variability'. Default: 0.
    device_sheets: compute: data sheets of devices that are not in the catalog, for tables. Only for
        'compute'.
    write_tuner: network: best choices for NCCL, as CSV for its tuner plug-in. Only for 'network'.
    plot: network: plot measured against predicted times of held-out sizes as SVG. Only for
        'network'.
    write_model: compute: also write a model fitted to the kernels. Only for 'compute'.
    output: Write the calibration to FILE ('-' for stdout).
    force: Overwrite FILE.
    what: network, compute, overheads or variability, then files, folders or patterns.
    """
    question = question_of(locals())
    return call_as(Answer, "calibrate", question, keep_run=keep_run, progress=progress)


def bench(
    *,
    replay_rank: Optional[int] = None,
    level: Optional[Value] = None,
    subtrace: Optional[Value] = None,
    all_steps: Optional[bool] = None,
    iterations: Optional[int] = None,
    warm_up: Optional[int] = None,
    threads: Optional[int] = None,
    torch_device: Optional[Value] = None,
    synchronize: Optional[bool] = None,
    think: Optional[bool] = None,
    communication: Optional[Value] = None,
    run: Optional[Value] = None,
    ranks: Optional[Value] = None,
    timeout: Optional[float] = None,
    reuse: Optional[Value] = None,
    similarity: Optional[bool] = None,
    memory_limit: Optional[Value] = None,
    only_plan: Optional[bool] = None,
    micro: Optional[bool] = None,
    filter: Optional[Value] = None,
    kernels: Optional[Value] = None,
    device_name: Optional[Value] = None,
    resize: Optional[Value] = None,
    obfuscate: Optional[Value] = None,
    salt: Optional[Value] = None,
    kineto: Optional[Value] = None,
    html: Optional[Value] = None,
    page: Optional[Value] = None,
    write_plan: Optional[Value] = None,
    output: Optional[Value] = None,
    force: Optional[bool] = None,
    what: Union[Value, Sequence[Value], None] = None,
    keep_run: bool = False,
    progress: ProgressOption = None,
) -> Answer:
    """Run the operators of a recording on this machine: `orrery bench`.

    replay_rank: Rank to replay, if there are several.
    level: top: outermost operators (in any release of PyTorch); kernel: operators that do the work.
        One of top, kernel. Default: top.
    subtrace: Only a part: scope=NAME (the first range or operator whose name contains NAME),
        layer=N or layers=N-M (by repetition), fewer=N (everything, with N layers), microbatches=N
        (everything, with the first N), or times from the start of the step (10ms-20ms).
    all_steps: Replay all steps; by default the first complete one, if steps are marked.
    iterations: Number of measured iterations. Default: 10.
    warm_up: Number of iterations before the measured ones; at least one. Default: 2.
    threads: Number of threads of operators. Default: 1.
    torch_device: Replay on cuda or cuda:N, with streams as recorded; by default on the host (cpu).
        Default: cpu.
    synchronize: Wait for the device after each operator, so that times are those of operators.
    think: Wait where the recorded host did other work (needs a device trace, too).
    communication: skip: leave it out; gloo: between processes, one per rank; predicted: delays from
        --run. One of skip, gloo, predicted. Default: skip.
    run: Run file of the same job, with the times of communication.
    ranks: gloo: ranks to replay; by default all.
    timeout: gloo: longest wait of a rank for other ranks, in seconds. Default: 60.
    reuse: Shares of looked-up rows that are used once, twice, 3 to 4, 5 to 8 … times; by default
        uniform indices.
    similarity: Compare recording and replay by kind of work and by operator.
    memory_limit: Memory for tensors; by default three quarters of the machine's. A size: 64MB.
    only_plan: Only plan, and print what would be replayed.
    micro: Measure each distinct operator (name, sizes, types) alone instead.
    filter: Only operators whose name contains TEXT.
    kernels: Write the times of known kernels, as a table for 'orrery kernels'.
    device_name: Name of the device in this table. Default: host.
    resize: 128=32: change sizes of 128 to 32 everywhere, and products of it; separated by commas.
    obfuscate: names: rename recorded operators; sizes: also change sizes slightly, as far as
        operators accept it. One of names, sizes.
    salt: Secret key of new names and sizes; equal salts give equal results.
    kineto: Write the measured times as a trace.
    html: Write recording and replay, side by side, as one web page.
    page: Web page to fill, instead of the built-in one.
    write_plan: Write the steps as text ('-' for stdout).
    output: Write the JSON to FILE ('-' for stdout); generate: the program to the folder FILE.
    force: Overwrite FILE.
    what: run or generate, then the recording's files.
    """
    question = question_of(locals())
    return call_as(Answer, "bench", question, keep_run=keep_run, progress=progress)

