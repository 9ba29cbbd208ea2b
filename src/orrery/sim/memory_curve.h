// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// The most bytes of tensors a rank holds at one time, from the tensors its nodes read and write
/// and from when the nodes ran. A tensor is there from the start of the node that writes it first
/// (from the beginning if it is only read) to the end of the last node that reads it (to the end of
/// the step if none does). Empty when no node names tensors. `when(node)` gives start and end, or
/// nothing for a node that did not run. O(uses log uses).
[[nodiscard]] std::optional<Bytes> peak_memory(
    const graph::Graph& graph,
    const std::function<std::optional<std::pair<Time, Time>>(graph::NodeId)>& when);

}  // namespace orrery::sim
