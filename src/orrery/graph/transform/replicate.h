// SPDX-License-Identifier: Apache-2.0
//
// Some ranks' work for many.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Lets `ranks` ranks do what those do that have traces, in turn: of two, ranks 0, 2, 4 … do what
/// the first does. The peers recorded with these are not those of their copies: a group that does
/// not have all of them becomes one that does.
void replicate(Workload& workload, std::uint32_t ranks);

/// Whether those ranks that have traces are replicas of one data-parallel job, so that more or
/// fewer of them can do the same: their devices' works have the same names (of as many works each),
/// they communicate with all others and nobody else, in the same order, as many bytes each time,
/// and only sum up or pass on what all then have. One rank is. Errc: input_unsupported, with what
/// is not so. O(nodes log names).
[[nodiscard]] Result<void> check_replicas(const Workload& workload, const std::string& where);

}  // namespace orrery::graph
