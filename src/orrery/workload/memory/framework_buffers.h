// SPDX-License-Identifier: Apache-2.0
//
// Device memory that a program occupies in addition to the tensors of its model. Private to the
// memory accounting.
#pragma once

#include <cstdint>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/model_state.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Workspaces for matrix products. PyTorch keeps one for each thread and stream that runs products:
/// the main thread runs forward passes, an autograd thread backward passes
/// (aten/src/ATen/cuda/CublasHandlePool.cpp: a handle per thread, a workspace per handle and
/// stream). Transformer Engine has a separate one
/// (transformer_engine/pytorch/cpp_extensions/gemm.py), and four more for grouped products of
/// experts, which run on as many streams (pytorch/module/base.py,
/// get_multi_stream_cublas_workspace).
[[nodiscard]] std::int64_t workspace_bytes(const Spec& spec, const DeviceMemory& device);

/// Buffers of the collective library: one communicator for each group of two or more ranks in which
/// the role communicates. Direct token exchange adds a buffer per peer within an island (eight
/// ranks at most).
[[nodiscard]] std::int64_t communicator_bytes(const Program& program, const Role& role,
                                              const DeviceMemory& device);

/// Whether the job's optimizer copies half-precision gradients to fp32.
[[nodiscard]] bool copies_gradients(const Spec& spec);

/// Bytes of these fp32 gradients for the weights that this rank updates. A step allocates them, and
/// they stay until the next step begins (Megatron-LM, core/optimizer/optimizer.py:
/// _copy_model_grads_to_main_grads, zero_grad; DeepSpeed, runtime/fp16/fused_optimizer.py).
[[nodiscard]] std::int64_t gradient_copies(const Program& program, const Role& role,
                                           const ModelState& state);

}  // namespace orrery::workload
