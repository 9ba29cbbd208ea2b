// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// Tensor bytes that a rank holds over time, computed from the tensors that its nodes read and
/// write and from the times of these nodes. A tensor exists from the start of the node that first
/// writes it (from the beginning if it is only read) to the end of the last node that reads it (to
/// the end of the step if none does).
struct TensorMemoryCurve {
  std::vector<std::pair<Time, Bytes>> points;  ///< (start, bytes); ascending, distinct times
  Bytes peak{};
  Time peak_at{};                                   ///< first time of the peak
  std::vector<std::pair<StringId, Bytes>> at_peak;  ///< tensors at the peak
};

/// `when(node)` returns start and end, or nothing for a node that did not run. Empty if no node
/// names tensors. O(uses log uses).
[[nodiscard]] std::optional<TensorMemoryCurve> tensor_memory_curve(
    const graph::Graph& graph,
    const std::function<std::optional<std::pair<Time, Time>>(graph::NodeId)>& when);

}  // namespace orrery::sim
