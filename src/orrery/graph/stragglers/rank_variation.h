// SPDX-License-Identifier: Apache-2.0
//
// Ranks beside each other: who of them is slow, and how much they differ.
#pragma once

#include <cstdint>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// What computes and copies takes, on every rank, what it takes on the median of its peers, the
/// n-th work of a name beside the n-th of the others; of an even number the faster of the two in
/// the middle, so that of two ranks both are as quick as either ever was. Communications stay, and
/// lags. Of a rank without peers nothing changes.
[[nodiscard]] Workload without_stragglers(const Workload& workload);

/// Every node of host and device takes another time than it took, by a factor exp(σ z - σ²/2) of
/// its own with z normal, so that means stay; a communication whose members are all there, one
/// factor for all of them. The same for the same seed, rank and id, on any machine.
[[nodiscard]] Workload varied(const Workload& workload, double sigma, std::uint64_t seed);

}  // namespace orrery::graph
