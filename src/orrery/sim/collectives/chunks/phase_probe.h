// SPDX-License-Identifier: Apache-2.0
//
// Measures the time of a phase on shared links by simulation.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/chunk_bound.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// Machines with more ranks are not probed.
inline constexpr std::int64_t kMaxProbedRanks = 4096;

/// Simulates reduce-scatters or all-gathers along dimension `dim` by `algorithm` at two sizes. All
/// rings of the dimension run concurrently, without other traffic, so that the result contains the
/// bandwidth that shared links leave to each ring. On a fabric that is the dimension's cut. Empty
/// if the simulation fails, or for more than kMaxProbedRanks ranks.
[[nodiscard]] std::optional<model::PhaseCost> probe_phase(const platform::Platform& platform,
                                                          graph::CollectiveType type,
                                                          std::uint32_t dim,
                                                          const platform::AlgorithmSpec& algorithm);

}  // namespace orrery::sim
