// SPDX-License-Identifier: Apache-2.0
//
// What tensor parallelism does beside its products, as the job says and else as its framework does.
#pragma once

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// How communication and products overlap; none without sp, or where nothing overlaps. What nobody
/// says is as in
///
///   none, megatron   pipelined: NeMo's and Megatron-Bridge's recipes of dense models with tp > 1
///                    set tp_comm_overlap, with ring exchange before products and pipelines of four
///                    splits behind them (Megatron-Bridge, training/comm_overlap.py,
///                    userbuffers_bf16_h100_h8192_tp4_mbs1_seqlen8192; Transformer Engine,
///                    common/comm_gemm_overlap). Megatron-LM's own default is off:
///                    --tp-comm-overlap
///   others           none
[[nodiscard]] TensorOverlap tensor_overlap(const Spec& spec);

/// Into how many pieces a product behind a gather, or before a reduction, is cut.
[[nodiscard]] std::int64_t gathered_pieces(const Spec& spec);
[[nodiscard]] std::int64_t reduced_pieces(const Spec& spec);

/// Whether ranks of tp, which have all of what goes to another stage, send a share each that is
/// gathered there; never with sp, where each has a share anyway. What nobody says is as in
/// Megatron-LM, which does (Narayanan et al., SC21, section 4.1; --no-scatter-gather-tensors-in-
/// pipeline turns it off), and others, which do not.
[[nodiscard]] bool scatters_sends(const Spec& spec);

/// Whether gradients of a product's input are reduced over tp while those of its weights are
/// computed. Megatron-Core begins to reduce in between (core/tensor_parallel/layers.py,
/// LinearWithGradAccumulationAndAsyncCommunication). Elsewhere autograd has both gradients from one
/// node (PyTorch, tools/autograd/derivatives.yaml: linear, mm, addmm) before the next one reduces:
/// Megatron-LM of 2021, mpu/mappings.py; PyTorch, distributed/tensor.
[[nodiscard]] bool reduces_beside_weights(const Spec& spec);

}  // namespace orrery::workload
