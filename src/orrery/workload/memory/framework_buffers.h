// SPDX-License-Identifier: Apache-2.0
//
// What a program takes of a device beside the tensors of its model. Private to the memory
// accounting.
#pragma once

#include <cstdint>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/model_state.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Workspaces for matrix products. PyTorch keeps one for each thread and stream that multiplies:
/// that of forward passes and autograd's, which has backward passes (aten/src/ATen/cuda/
/// CublasHandlePool.cpp: a handle per thread, a workspace per handle and stream). Transformer
/// Engine has one of its own (transformer_engine/pytorch/cpp_extensions/gemm.py), and four more for
/// grouped products of experts, which run on as many streams (pytorch/module/base.py,
/// get_multi_stream_cublas_workspace).
[[nodiscard]] std::int64_t workspace_bytes(const Spec& spec, const DeviceMemory& device);

/// Buffers of the collective library: one communicator for each group of two ranks or more that the
/// role communicates in, in whatever way; and for each rank that tokens are exchanged with
/// directly, of those of one island (eight at most).
[[nodiscard]] std::int64_t communicator_bytes(const Program& program, const Role& role,
                                              const DeviceMemory& device);

/// Whether the job's optimizer makes gradients in fp32 of those in half precision.
[[nodiscard]] bool copies_gradients(const Spec& spec);

/// Gradients in fp32 that the optimizer makes of those in half precision, for what this rank
/// updates. They come with a step and stay until the next one begins (Megatron-LM,
/// core/optimizer/optimizer.py: _copy_model_grads_to_main_grads, zero_grad; DeepSpeed,
/// runtime/fp16/fused_optimizer.py).
[[nodiscard]] std::int64_t gradient_copies(const Program& program, const Role& role,
                                           const ModelState& state);

}  // namespace orrery::workload
