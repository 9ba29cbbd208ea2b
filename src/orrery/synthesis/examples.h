// SPDX-License-Identifier: Apache-2.0
//
// Plans of well-known algorithms: to compare others with, and to begin one's own from.
#pragma once

#include <cstdint>

#include "orrery/synthesis/plan.h"

namespace orrery::synthesis {

/// An all-reduce in place round a ring of at least two ranks, one chunk a rank, `channels` rings
/// side by side (Patarasuk and Yuan 2009): 2(ranks - 1) rounds.
[[nodiscard]] Plan ring_all_reduce(std::uint32_t ranks, std::uint32_t channels = 1);

/// An all-reduce in place by recursive halving and doubling (Thakur, Rabenseifner and Gropp 2005),
/// for a power of two of at least two ranks: 2·log2(ranks) rounds.
[[nodiscard]] Plan halving_doubling_all_reduce(std::uint32_t ranks);

}  // namespace orrery::synthesis
