#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rank0.json: two invented training steps of one feed-forward layer on an H100, as PyTorch's profiler records them.

8,192 tokens, hidden size 4,096, inner size 16,384, bf16. Times of kernels are invented, near those of such a device."""
import json
import pathlib

TOKENS, HIDDEN, INNER = 8192, 4096, 16384
PROCESS, FORWARD, BACKWARD, STREAM = 100, 1, 2, 7
GEMM = "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_{}"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::{}, std::array<char*, {}ul> >(int)"

events, correlation = [], 0
host, device = 0.0, 0.0  # when the host and the device are free, in us


def event(category, name, begin, length, thread=FORWARD, process=PROCESS, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": round(begin, 3),
                   "dur": round(length, 3), "args": args})
    return events[-1]


def launch(kernel, length, thread, category="kernel", **args):
    global host, device, correlation
    correlation += 1
    call = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}[category]
    event("cuda_runtime", call, host + 1, 4, thread, correlation=correlation)
    device = max(device + 1, host + 8)
    event(category, kernel, device, length, STREAM, 0, device=0, stream=STREAM, correlation=correlation, **args)
    device, host = device + length, host + 6


class Range:
    """An operator, a module or an annotation around what happens inside."""

    def __init__(self, category, name, thread=FORWARD, **args):
        self.event = event(category, name, host, 0, thread, **args)

    def __enter__(self):
        global host
        host += 2

    def __exit__(self, *unused):
        global host
        host += 2
        self.event["dur"] = round(host - self.event["ts"], 3)


def operator(name, shapes, strides=(), thread=FORWARD, sequence=None, kind="c10::BFloat16", **args):
    if sequence is not None:
        args["Sequence number"], args["Fwd thread id"] = sequence, 0 if thread == FORWARD else 1
    return Range("cpu_op", name, thread, **{"Input Dims": shapes, "Input type": [kind if s else "Scalar" for s in shapes],
                                            "Input Strides": list(strides)}, **args)


def linear(number, inner, outer, sequence, us):
    with Range("python_function", f"nn.Module: Linear_{number}"), operator("aten::linear", [[TOKENS, inner], [outer, inner], [outer]]):
        with operator("aten::addmm", [[outer], [TOKENS, inner], [inner, outer], [], []],
                      [[1], [inner, 1], [1, inner], [], []], sequence=sequence):
            launch(GEMM.format("TNT"), us, FORWARD)


def linear_backward(inner, outer, sequence, us):
    with operator("autograd::engine::evaluate_function: AddmmBackward0", [], thread=BACKWARD, sequence=sequence):
        with operator("AddmmBackward0", [[TOKENS, outer]], thread=BACKWARD, sequence=sequence):
            with operator("aten::mm", [[TOKENS, outer], [outer, inner]], [[outer, 1], [inner, 1]], thread=BACKWARD):
                launch(GEMM.format("NNT"), us, BACKWARD)
            with operator("aten::mm", [[outer, TOKENS], [TOKENS, inner]], [[1, outer], [inner, 1]], thread=BACKWARD):
                launch(GEMM.format("NTT"), us * 1.05, BACKWARD)
        with operator("aten::sum", [[TOKENS, outer], [], []], thread=BACKWARD):
            launch("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16> >(int)", outer / 180, BACKWARD)


def step(number):
    sequence = 10 * number
    with Range("user_annotation", f"ProfilerStep#{number}"):
        with operator("aten::copy_", [[TOKENS, HIDDEN], [TOKENS, HIDDEN], []]):
            launch("Memcpy HtoD (Pageable -> Device)", 2600, FORWARD, "gpu_memcpy", bytes=2 * TOKENS * HIDDEN)
        with Range("python_function", "nn.Module: FeedForward_0"):
            linear(0, HIDDEN, INNER, sequence, 1620)
            with Range("python_function", "nn.Module: GELU_0"), operator("aten::gelu", [[TOKENS, INNER], []], sequence=sequence + 1):
                launch(ELEMENTWISE.format("GeluCUDAKernelImpl", 2), 190, FORWARD)
            linear(1, INNER, HIDDEN, sequence + 2, 1580)
            with operator("my_ops::mix", []):
                launch("mix_rows(float*, int)", 8, FORWARD)
        linear_backward(INNER, HIDDEN, sequence + 2, 1640)
        with operator("GeluBackward0", [[TOKENS, INNER]], thread=BACKWARD, sequence=sequence + 1):
            with operator("aten::gelu_backward", [[TOKENS, INNER], [TOKENS, INNER], []], thread=BACKWARD):
                launch(ELEMENTWISE.format("GeluBackwardCUDAKernelImpl", 3), 285, BACKWARD)
        linear_backward(HIDDEN, INNER, sequence, 1660)
        global host
        host = max(host, device)  # the step ends with a synchronization


for number in (1, 2):
    step(number)
recording = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85029158912,
                                                       "numSms": 132}], "traceEvents": events}
lines = ",\n".join(json.dumps(one) for one in events)
head = json.dumps({key: value for key, value in recording.items() if key != "traceEvents"})[:-1]
pathlib.Path(__file__).with_name("rank0.json").write_text(f'{head}, "traceEvents": [\n{lines}\n]}}\n')
