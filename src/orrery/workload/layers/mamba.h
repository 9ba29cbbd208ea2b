// SPDX-License-Identifier: Apache-2.0
//
// Mamba-2 layers (Dao and Gu, ICML 2024, arXiv 2405.21060).
#pragma once

#include "orrery/workload/layers/blocks.h"

namespace orrery::workload {

/// Norm, Mamba-2 mixer, residual. The mixer: projection to gate z, x, B, C and dt; causal
/// convolution of x, B and C; scan of the state space in chunks (section 6 of the paper); gate;
/// norm per group of heads; projection back. Tensor parallelism splits heads and groups: the first
/// projection by column, the second by row. Kernels and saved tensors are those of
/// mamba_split_conv1d_scan_combined (state-spaces/mamba, mamba_ssm/ops/triton/ssd_combined.py),
/// which Megatron-Core calls (core/ssm/mamba_mixer.py, _ssm_training).
///
/// FLOPs of the scan for t tokens, H heads of P channels, G groups, state N and chunks of Q tokens:
/// 2tHPN (states of chunks) + 2tHPN (their output) + tHP(Q + 1) (tokens of the same chunk, causal)
/// + 2tGQN (C times B). The backward pass costs twice as much, and computes the states and C times
/// B again. As products of activations they have
/// OpClass::attention.
Tensor mamba_layer(Tape& tape, const Scope& scope, Tensor x);

}  // namespace orrery::workload
