// SPDX-License-Identifier: Apache-2.0
//
// What a phase takes where links are shared: found by doing it.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/chunk_bound.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// Phases of so many ranks' machines are not tried.
inline constexpr std::int64_t kMaxProbedRanks = 4096;

/// Reduce-scatters or all-gathers along dimension `dim` by `algorithm`, all its rings at once and
/// nothing beside them, simulated at two sizes: what the links that they share leave each. On a
/// fabric that is the dimension's cut. Empty: it cannot be simulated, or there are more than
/// kMaxProbedRanks ranks.
[[nodiscard]] std::optional<model::PhaseCost> probe_phase(const platform::Platform& platform,
                                                          graph::CollectiveType type,
                                                          std::uint32_t dim,
                                                          const platform::AlgorithmSpec& algorithm);

}  // namespace orrery::sim
