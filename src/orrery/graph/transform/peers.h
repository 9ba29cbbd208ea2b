// SPDX-License-Identifier: Apache-2.0
//
// Ranks beside each other: who of them is slow, and how much they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Ranks that do the same: on their own, as many works of each name. Each rank once, classes by
/// their first rank.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> peers(const Workload& workload);

/// A workload that was made, and how many ranks have other times than they had.
struct Levelled {
  Workload workload;
  std::size_t ranks = 0;
};

/// What computes and copies takes, on every rank, what it takes on the median of its peers, the
/// n-th work of a name beside the n-th of the others; of an even number the faster of the two in
/// the middle, so that of two ranks both are as quick as either ever was. Communications stay, and
/// lags. Of a rank without peers nothing changes.
[[nodiscard]] Levelled without_stragglers(const Workload& workload);

/// Every node of host and device takes another time than it took, by a factor exp(σ z - σ²/2) of
/// its own with z normal, so that means stay. The same for the same seed, rank and id, on any
/// machine.
[[nodiscard]] Workload varied(const Workload& workload, double sigma, std::uint64_t seed);

}  // namespace orrery::graph
