// SPDX-License-Identifier: Apache-2.0
//
// How hosts launch kernels and wait for their devices: as the job specifies, else as its framework
// and its release do.
#pragma once

#include "orrery/graph/kernel.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Whether kernels are captured in CUDA graphs, so that no kernel waits for a host
/// (Kernels::graphs). Default: with the kernels that compute all experts without the host
/// (supports_fused_experts), so with megatron since 26.06 and MXFP8. Source: Megatron-Bridge's
/// configurations for performance, 26.08 (cuda_graph_impl: full_iteration, with experts in MXFP8 on
/// Blackwell). Earlier configurations capture parts of a layer (attn, moe_router, moe_preprocess)
/// on some devices and not on others; by default nothing is captured.
[[nodiscard]] bool captures_graphs(const Spec& spec);

/// Host times per launch of the job's framework, from Kernels::launch; unset with graphs.
[[nodiscard]] graph::LaunchTimes launch_times(const Spec& spec);

/// Whether the host launches a separate product for each expert, although one op of the job
/// represents all of them (Kernels::expert_launches). Default: with megatron, unless one kernel
/// computes all experts (fuses_experts). Source: Transformer Engine,
/// common/gemm/cublaslt_gemm.cu (multi_stream_cublas_gemm: one cuBLAS product per expert, on four
/// streams), pytorch/csrc/extensions/cast.cpp (split_quantize: a loop over experts, except for
/// delayed scaling) and pytorch/module/grouped_linear.py, all of release 2.5 to 2.12.
[[nodiscard]] bool launches_per_expert(const Spec& spec);

/// Whether the host of each layer with experts waits for the number of tokens of each expert, which
/// the device computes (Kernels::expert_syncs). Default: with megatron and torchtitan, unless
/// experts always compute their full capacity, or one kernel reads the counts from device memory.
/// Sources: Megatron-LM, core/transformer/moe/token_dispatcher.py (MoEAlltoAllTokenDispatcher,
/// _maybe_dtoh_and_synchronize, cuda_sync_point); torchtitan, distributed/expert_parallel.py
/// (_token_dispatch: the counts are copied to the host).
[[nodiscard]] bool reads_token_counts(const Spec& spec);

/// Whether kernels of PyTorch clamp the inputs of the experts' activation, and its offset is copied
/// from the host in every layer (Moe::clamp). Only in the unfused experts of megatron.
[[nodiscard]] bool clamps_experts(const Spec& spec);

}  // namespace orrery::workload
