// SPDX-License-Identifier: Apache-2.0
//
// Distributes layers over stages. Private to the assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

/// The number of layers of each stage, as even as possible. Extra layers go to the middle stages,
/// the last of them first, since the first stage also has the embedding and the last the head. If
/// an extra layer remains, it goes to the first stage. With one layer less than stages, the last
/// stage has only the head; with two less, the first stage has only the embedding, too. Example:
/// Llama 3's 405B has 126 layers on 16 stages as 7, 14 × 8, 7 (arXiv 2407.21783, section 3.3.2).
[[nodiscard]] std::vector<std::int64_t> even_layers(std::int64_t layers, std::size_t stages);

/// The parts on each of `stages` virtual stages, in the model's order. Layers follow Schedule's
/// `stage_layers`, else even_layers. Parts before a layer are on its stage, parts after the last
/// layer on the last stage. PartRun::part is an index into `model.parts`.
[[nodiscard]] std::vector<std::vector<PartRun>> partition(const LoweredModel& model,
                                                          const Schedule& schedule,
                                                          std::size_t stages);

}  // namespace orrery::workload
