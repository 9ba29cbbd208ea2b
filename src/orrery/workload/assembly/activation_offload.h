// SPDX-License-Identifier: Apache-2.0
//
// Activations that wait for their backward pass in remote memory. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

/// What the first `layers` layers of each chunk keep lies elsewhere (Part::offloaded): their parts
/// are copied, at the end of `model.parts`, without anything kept. Working memory is larger by it:
/// it is whole while the layer is at work. The layers that a backward pass begins with stay, as
/// there would be no time to bring them. Source: what Transformer Engine and Megatron-LM do with
/// cpu_offloading_num_layers.
void offload_activations(LoweredModel& model, std::vector<std::vector<PartRun>>& chunks,
                         std::int64_t layers);

}  // namespace orrery::workload
