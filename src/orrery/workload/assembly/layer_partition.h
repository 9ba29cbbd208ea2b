// SPDX-License-Identifier: Apache-2.0
//
// Which layers lie on which stage. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

/// Layers of each of `stages` stages, as even as can be. What is left over goes to the middle
/// stages, the last of them first, since the ends have the embedding and the head; what is left
/// over even then goes to the first. With one layer less than stages the last has the head alone,
/// with two less the first has the embedding alone, too. Llama 3's 405B so has 126 layers on 16
/// stages as 7, 14 × 8, 7 (arXiv 2407.21783, section 3.3.2).
[[nodiscard]] std::vector<std::int64_t> even_layers(std::int64_t layers, std::size_t stages);

/// What lies on each of `stages` virtual stages, in the model's order: layers as Schedule's
/// `stage_layers` says, else evenly; what stands before a layer lies with it, what follows the last
/// layer on the last stage. PartRun::part is an index of `model.parts`.
[[nodiscard]] std::vector<std::vector<PartRun>> partition(const LoweredModel& model,
                                                          const Schedule& schedule,
                                                          std::size_t stages);

}  // namespace orrery::workload
