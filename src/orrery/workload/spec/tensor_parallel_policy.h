// SPDX-License-Identifier: Apache-2.0
//
// How tensor parallelism communicates: as the job specifies, else as its framework does.
#pragma once

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// How tensor-parallel communication overlaps matrix products. None without sp, with tp 1, with
/// compat stage, or if Schedule::overlap is false. Defaults if the job does not specify it:
///
///   none, megatron   pipelined: NeMo's and Megatron-Bridge's recipes of dense models with tp > 1
///                    set tp_comm_overlap, with ring exchange before products and pipelines of four
///                    splits after them (Megatron-Bridge, training/comm_overlap.py,
///                    userbuffers_bf16_h100_h8192_tp4_mbs1_seqlen8192; Transformer Engine,
///                    common/comm_gemm_overlap). Megatron-LM's own default is off:
///                    --tp-comm-overlap
///   others           none
[[nodiscard]] TensorOverlap tensor_overlap(const Spec& spec);

/// Number of pieces of a product: `gathered_pieces` of one after a gather, `reduced_pieces` of one
/// before a reduction.
[[nodiscard]] std::int64_t gathered_pieces(const Spec& spec);
[[nodiscard]] std::int64_t reduced_pieces(const Spec& spec);

/// Whether each rank of tp sends only its share of the activations to the next stage, whose ranks
/// gather them. Never with sp, where each rank has only a share. Default: true for Megatron-LM
/// (Narayanan et al., SC21, section 4.1; --no-scatter-gather-tensors-in-pipeline disables it),
/// false for other frameworks.
[[nodiscard]] bool scatters_sends(const Spec& spec);

/// Whether the tp reduction of a product's input gradient overlaps the computation of its weight
/// gradient. Megatron-Core starts the reduction between the two (core/tensor_parallel/layers.py,
/// LinearWithGradAccumulationAndAsyncCommunication). Elsewhere one autograd node computes both
/// gradients (PyTorch, tools/autograd/derivatives.yaml: linear, mm, addmm) before the next one
/// reduces: Megatron-LM of 2021, mpu/mappings.py; PyTorch, distributed/tensor.
[[nodiscard]] bool overlaps_weight_gradients(const Spec& spec);

}  // namespace orrery::workload
