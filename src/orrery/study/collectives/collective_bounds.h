// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds for the collective times of a run on its fabric.
#pragma once

#include <cstddef>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/sim/chunk_choice.h"

namespace orrery::study {

/// On a fabric, replaces the bound of each collective (by dimensions) with the bound of its binding
/// cut. Collectives with equal members, type and bytes share a bound; after kMaxBounds distinct
/// ones the others have none. If switches may reduce (Algorithm::in_network, custom plans, or a
/// library), the bound assumes that they do. All-to-alls of tokens have no bound.
void set_bounds(const graph::Workload& workload, const platform::Platform& platform,
                result::Run& run);

/// The same for collectives whose chunks and orders a model chose, if all ranks are members. Only
/// the first kMaxBounds choices are considered.
void set_chunk_choice_bounds(const platform::Platform& platform,
                             std::vector<sim::ChunkChoice>& choices);

inline constexpr std::size_t kMaxBounds = 256;

}  // namespace orrery::study
