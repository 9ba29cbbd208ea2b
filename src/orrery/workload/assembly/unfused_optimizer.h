// SPDX-License-Identifier: Apache-2.0
//
// The optimizer step of 16-bit weights, operator by operator. Private to the assembly.
//
// The fused Adam of Megatron-LM of 2021 processes only fp32. Before it, the step casts 16-bit
// gradients to fp32. It also divides gradients of fp16 weights by the loss scale and checks them
// for values that are not finite. The norm is computed in fp32. After Adam, the step copies the
// fp32 weights to those of the model. Gradients of all microbatches are in one buffer, which is
// zeroed before a step and divided by the number of replicas before it is reduced. Sources:
// Megatron-DeepSpeed at 0782d753, megatron/optimizer/optimizer.py
// (Float16OptimizerWithFloat16Params.step), megatron/optimizer/clip_grads.py; Megatron-LM v2.5,
// megatron/model/distributed.py. Not counted: clipping, which runs only if the norm is above its
// limit; a specification does not determine that.
#pragma once

#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Whether the job has such a step: framework megatron_2021, 16-bit weights with fp32 copies,
/// gradients of 16 or 32 bits, no shards (which that framework does not have) and no remote memory.
[[nodiscard]] bool is_optimizer_unfused(const Spec& spec);

/// Ops over `elements` gradients or weights, without waits.
[[nodiscard]] Op zero_gradients(const Spec& spec, Amount elements);
[[nodiscard]] Op average_gradients(const Spec& spec, Amount elements);
[[nodiscard]] Op cast_gradients_op(const Spec& spec, Amount elements);
[[nodiscard]] Op unscale_gradients(Amount elements);
[[nodiscard]] Op cast_weights_op(const Spec& spec, Amount elements);

}  // namespace orrery::workload
