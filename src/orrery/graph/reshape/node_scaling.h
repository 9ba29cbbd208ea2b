// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/builder.h"

namespace orrery::graph {

/// `value` times `factor`, rounded to nearest.
[[nodiscard]] std::int64_t scale_count(std::int64_t value, double factor);

/// Scales a node that works on `factor` times as many parameters: its duration, operations, bytes,
/// the size of its collective and the first size of its kernel.
void scale_node(NodeSpec& node, double factor, KernelTable& kernels);

/// By node: whether it runs once for all parameters of a rank: an optimizer, or the gradient norm
/// before it.
[[nodiscard]] std::vector<bool> optimizer_nodes(const Graph& graph);

}  // namespace orrery::graph
