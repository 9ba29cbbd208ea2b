// SPDX-License-Identifier: Apache-2.0
//
// Below what time the collectives of a run could not have been, on its fabric.
#pragma once

#include <cstddef>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/sim/chunk_choice.h"

namespace orrery::study {

/// Where the network is a fabric: each collective's bound by the cut that binds it, instead of that
/// of dimensions. Those with the same members, kind and bytes have one; beyond kMaxBounds of these
/// the others have none. Where switches sum (Algorithm::in_network, or a library that may use
/// them) so does the bound's. All-to-alls that carry tokens have none.
void set_bounds(const graph::Workload& workload, const platform::Platform& platform,
                result::Run& run);

/// Likewise where a model chose chunks and their orders: of the group of rank 0 among those that
/// the choice is for. At most kMaxBounds.
void set_chunk_choice_bounds(const platform::Platform& platform,
                             std::vector<sim::ChunkChoice>& choices);

inline constexpr std::size_t kMaxBounds = 256;

}  // namespace orrery::study
