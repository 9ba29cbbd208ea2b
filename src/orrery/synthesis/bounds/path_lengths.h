// SPDX-License-Identifier: Apache-2.0
//
// Distances between ranks. Private to bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/min_cut.h"

namespace orrery::synthesis {

/// Whether every member reaches every other one.
[[nodiscard]] bool is_connected(const FabricState& fabric, std::span<const NodeIndex> members);

/// The largest shortest-path latency from a node of `from` to one of `to`. If that needs more than
/// `steps` link evaluations, it uses a sample of `from`, whose result is not larger.
[[nodiscard]] Time max_path_latency(const FabricState& fabric, std::span<const NodeIndex> from,
                                    std::span<const NodeIndex> to, Direction direction,
                                    std::uint64_t steps);

/// The sum over ordered pairs of members of the minimum number of counted links on a route between
/// them. `counts` by wire. Empty if it needs more than `steps` link evaluations.
[[nodiscard]] std::optional<double> min_crossings(const FabricState& fabric,
                                                  std::span<const NodeIndex> members,
                                                  const std::vector<bool>& counts,
                                                  std::uint64_t steps);

}  // namespace orrery::synthesis
