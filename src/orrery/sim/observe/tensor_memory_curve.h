// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// Tensor bytes a rank holds over time, from the tensors its nodes read and write and from when the
/// nodes ran. A tensor is there from the start of the node that writes it first (from the beginning
/// if it is only read) to the end of the last node that reads it (to the end of the step if none
/// does).
struct TensorMemoryCurve {
  std::vector<std::pair<Time, Bytes>> points;  ///< (from when, how many); ascending, distinct times
  Bytes peak{};
  Time peak_at{};                                   ///< the first time
  std::vector<std::pair<StringId, Bytes>> at_peak;  ///< what is there then
};

/// `when(node)` gives start and end, or nothing for a node that did not run. Empty when no node
/// names tensors. O(uses log uses).
[[nodiscard]] std::optional<TensorMemoryCurve> tensor_memory_curve(
    const graph::Graph& graph,
    const std::function<std::optional<std::pair<Time, Time>>(graph::NodeId)>& when);

}  // namespace orrery::sim
