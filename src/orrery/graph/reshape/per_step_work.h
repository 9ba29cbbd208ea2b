// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/structure/loops.h"

namespace orrery::graph {

/// Scales the work in `longer` that a rank does once per step for the parameters of all layers.
/// `longer` is `graph` with `more` additional layers in each pass. The work is: optimizers (except
/// where `optimizer_repeats` already lengthened their loops over parameters), gradient norms, and
/// collectives of 64 KiB or more in groups in which no layer has a collective of that type and
/// which are not in `across_stages`. Times, operations, bytes and sizes grow in proportion to the
/// parameters. The share of parameters in layers is derived from the gradients of products, norms
/// and lookups. If no kernel shows it, all are in layers. O(nodes).
[[nodiscard]] Result<Graph> scale_per_step_work(
    const Graph& graph, const Spine& spine, const Loops& loops, std::int64_t more,
    bool optimizer_repeats, const std::set<std::string, std::less<>>& across_stages, Graph longer);

}  // namespace orrery::graph
