// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/builder.h"

namespace orrery::graph {

/// `value` times `factor`, rounded to nearest.
[[nodiscard]] std::int64_t grown(std::int64_t value, double factor);

/// The node works on so many times as many parameters: its time, operations, bytes, the size of
/// its collective and the first size of its kernel.
void scale_node(NodeSpec& node, double factor, KernelTable& kernels);

/// By node: it is done once for all parameters of a rank, an optimizer or the norm of gradients
/// before it.
[[nodiscard]] std::vector<bool> optimizer_nodes(const Graph& graph);

}  // namespace orrery::graph
