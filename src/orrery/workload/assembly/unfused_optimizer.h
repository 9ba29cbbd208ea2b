// SPDX-License-Identifier: Apache-2.0
//
// An optimizer's step of weights with 16 bits, operator by operator. Private to the assembly.
//
// Megatron-LM of 2021 lets its fused Adam see fp32 alone. Before it gradients of 16 bits become
// fp32, those of fp16 weights are divided by the scale of the loss and looked through for what is
// not finite, and their norm is of fp32; behind it fp32 weights become those of the model.
// Gradients of all microbatches lie in one buffer, which is set to zero before a step and divided
// by the number of replicas before it is reduced. Sources: Megatron-DeepSpeed at 0782d753,
// megatron/optimizer/optimizer.py (Float16OptimizerWithFloat16Params.step),
// megatron/optimizer/clip_grads.py; Megatron-LM v2.5, megatron/model/distributed.py. Not counted:
// clipping itself, which happens where the norm is above its limit, and no job says whether it is.
#pragma once

#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Whether the step is one of these: the framework, 16 bits of weights beside fp32 copies,
/// gradients of 16 or 32, no shards (which that framework does not have) and nothing in remote
/// memory.
[[nodiscard]] bool is_optimizer_unfused(const Spec& spec);

/// What is done with `elements` gradients or weights; each waits for nothing.
[[nodiscard]] Op zero_gradients(const Spec& spec, Amount elements);
[[nodiscard]] Op average_gradients(const Spec& spec, Amount elements);
[[nodiscard]] Op widen_gradients(const Spec& spec, Amount elements);
[[nodiscard]] Op unscale_gradients(Amount elements);
[[nodiscard]] Op narrow_weights(const Spec& spec, Amount elements);

}  // namespace orrery::workload
