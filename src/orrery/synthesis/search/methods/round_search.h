// SPDX-License-Identifier: Apache-2.0
//
// The same search where all links are alike: nothing but rounds. Private to spread().
#pragma once

#include <optional>
#include <vector>

#include "orrery/synthesis/search/methods/spread_search.h"

namespace orrery::synthesis {

/// Every way is one link of its own, all are alike, and so are all chunks: then all links begin
/// together, round after round.
[[nodiscard]] bool runs_in_rounds(const RouteGraph& route_graph, const SpreadTask& task);

/// As spread(), for what is runs_in_rounds().
[[nodiscard]] std::optional<std::vector<ChunkSend>> spread_in_rounds(const RouteGraph& route_graph,
                                                                     const SpreadTask& task,
                                                                     const SpreadOptions& options);

}  // namespace orrery::synthesis
