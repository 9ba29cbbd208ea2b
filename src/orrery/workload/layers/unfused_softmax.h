// SPDX-License-Identifier: Apache-2.0
//
// Softmax over scores where Megatron's own kernel does not take them.
//
// Megatron-LM of 2021 scales, masks and normalises half-precision scores in one kernel if a row has
// more than 16 and at most 2,048 of them, and queries as well as sequences × heads of a rank come
// in fours; whatever is otherwise goes through PyTorch in fp32, an operator at a time. Sources:
// megatron/model/fused_softmax.py (FusedScaleMaskSoftmax) of Megatron-DeepSpeed at 0782d753, and
// the same in vTrain's src/model; the scale is its layer's number, as
// --no-query-key-layer-scaling turns off (megatron/model/transformer.py).
#pragma once

#include "orrery/workload/layers/attention_core.h"

namespace orrery::workload {

/// Whether the framework's softmax is in pieces for this core, on this rank; never with flash
/// attention, which has none.
[[nodiscard]] bool is_softmax_unfused(const Scope& scope, const CoreShape& core);

/// Its pieces over `rows` × `length` scores.
void unfused_softmax_forward(Tape& tape, const Scope& scope, Amount rows, Amount length);
void unfused_softmax_backward(Tape& tape, const Scope& scope, Amount rows, Amount length);

/// Bytes of a score that softmax's backward pass reads: what it made, in fp32.
[[nodiscard]] Amount unfused_softmax_saved(Amount pairs);

}  // namespace orrery::workload
