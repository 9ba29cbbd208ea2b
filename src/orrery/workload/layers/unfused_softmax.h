// SPDX-License-Identifier: Apache-2.0
//
// Softmax over scores that Megatron's fused kernel does not support.
//
// Megatron-LM of 2021 scales, masks and normalizes half-precision scores in one kernel, with two
// conditions. A row has more than 16 and at most 2,048 scores. The number of queries and that of
// sequences × heads of a rank are multiples of four. Otherwise PyTorch computes the softmax in
// fp32, one operator at a time. Sources: megatron/model/fused_softmax.py (FusedScaleMaskSoftmax) of
// Megatron-DeepSpeed at 0782d753, and the same in vTrain's src/model. The scale is the layer's
// number, which --no-query-key-layer-scaling disables (megatron/model/transformer.py).
#pragma once

#include "orrery/workload/layers/attention_core.h"

namespace orrery::workload {

/// Whether the framework computes this core's softmax one operator at a time on this rank. False
/// with flash attention, which has no separate softmax.
[[nodiscard]] bool is_softmax_unfused(const Scope& scope, const CoreShape& core);

/// Append these operators over `rows` × `length` scores.
void unfused_softmax_forward(Tape& tape, const Scope& scope, Amount rows, Amount length);
void unfused_softmax_backward(Tape& tape, const Scope& scope, Amount rows, Amount length);

/// Bytes of `pairs` scores that the backward pass of the softmax reads: its output in fp32.
[[nodiscard]] Amount unfused_softmax_saved(Amount pairs);

}  // namespace orrery::workload
