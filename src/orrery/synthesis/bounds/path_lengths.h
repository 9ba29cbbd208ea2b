// SPDX-License-Identifier: Apache-2.0
//
// How far ranks are from each other. Private to bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/min_cut.h"

namespace orrery::synthesis {

/// Whether each member reaches each other one.
[[nodiscard]] bool is_connected(const FabricState& fabric, std::span<const NodeIndex> members);

/// The longest of the ways of least latency from `from` to `to`; where that takes more than `steps`
/// links, of a sample of `from`, which is no more.
[[nodiscard]] Time max_path_latency(const FabricState& fabric, std::span<const NodeIndex> from,
                                    std::span<const NodeIndex> to, Direction direction,
                                    std::uint64_t steps);

/// Of each ordered pair of members, the links of those that count that its way has to cross at
/// least; the sum. Empty: more than `steps` links would have to be looked at. `counts` by wire.
[[nodiscard]] std::optional<double> min_crossings(const FabricState& fabric,
                                                  std::span<const NodeIndex> members,
                                                  const std::vector<bool>& counts,
                                                  std::uint64_t steps);

}  // namespace orrery::synthesis
