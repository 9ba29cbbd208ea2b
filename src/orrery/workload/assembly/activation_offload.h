// SPDX-License-Identifier: Apache-2.0
//
// Offloads activations to remote memory until their backward pass. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

/// Moves the retained activations of the first `layers` layers of each chunk to remote memory
/// (Part::offloaded). Appends copies of the parts of these layers, without retained tensors, to
/// `model.parts`. Their working memory grows by the offloaded bytes, since these are on the device
/// while the layer runs. The last layers stay: the backward pass begins with them, so that there is
/// no time to load them. Source: cpu_offloading_num_layers in Transformer Engine and Megatron-LM.
void offload_activations(LoweredModel& model, std::vector<std::vector<PartRun>>& chunks,
                         std::int64_t layers);

}  // namespace orrery::workload
