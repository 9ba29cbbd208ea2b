// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/structure/loops.h"

namespace orrery::graph {

/// `longer`: `graph` with so many more layers in each pass. What is there once a step for the
/// parameters of all layers (optimizers, but where their loops over parameters were made longer,
/// `optimizer_repeats`; norms of gradients; collectives of 64 KiB and more of a group in which no
/// layer has one of that type of its own, and that is none of `across_stages`) works on as many
/// more of them: times, operations, bytes and sizes grow. How many parameters are in layers and how
/// many are not is told by the gradients of products, norms and lookups; where no kernel says, all
/// are in layers. O(nodes).
[[nodiscard]] Result<Graph> scale_per_step_work(
    const Graph& graph, const Spine& spine, const Loops& loops, std::int64_t more,
    bool optimizer_repeats, const std::set<std::string, std::less<>>& across_stages, Graph longer);

}  // namespace orrery::graph
