// SPDX-License-Identifier: Apache-2.0
//
// A job with more or fewer layers or microbatches, made of what it has.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// How many there are. Empty: as found, or as before.
struct Shape {
  std::optional<std::uint32_t> layers;        ///< of the model, all stages together
  std::optional<std::uint32_t> microbatches;  ///< in a step
};

/// The workload with these numbers of layers or of microbatches; `known`: what it has, where
/// somebody knows better than its repetitions say: loops of every rank made longer or shorter
/// (resized). Layers are shared out evenly to stages, as they were. What is there once a step for
/// all layers together (optimizer, norm of gradients, buckets of gradients) grows with the
/// parameters, as far as kernels say how many; else with the layers. Messages lose their tags and
/// are matched in order. Errc: usage where the numbers cannot be, input_unsupported where nothing
/// repeats, or not on all ranks, or ranks would send more or less than others receive;
/// input_mismatch where messages do not come in the order in which they are sent; as
/// resized.
[[nodiscard]] Result<Workload> reshaped(const Workload& workload, const Shape& shape,
                                        const Shape& known, Findings& findings);

/// How many there are, as repetitions say: what is to be compared with what one knows. Likewise O.
[[nodiscard]] Shape found_shape(const Workload& workload);

}  // namespace orrery::graph
