// SPDX-License-Identifier: Apache-2.0
//
// Removes the differences between ranks, or adds random ones.
#pragma once

#include <cstdint>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// The workload with the own work of every rank at its level (PeerLevels): the median duration over
/// its peers. Of two ranks, both get the shorter duration of each node. Communication, lags and
/// ranks without peers are unchanged.
[[nodiscard]] Workload without_stragglers(const Workload& workload);

/// Multiplies the duration of each node of host and device by a random factor exp(σ z - σ²/2) with
/// normal z, which preserves the mean. All members of a complete recorded communication get the
/// same factor. The factors depend only on seed, rank and node id, and are the same on any machine.
[[nodiscard]] Workload with_random_factors(const Workload& workload, double sigma,
                                           std::uint64_t seed);

}  // namespace orrery::graph
