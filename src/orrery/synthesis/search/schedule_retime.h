// SPDX-License-Identifier: Apache-2.0
//
// The same sends, as early as links allow.
#pragma once

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// Every send as soon as its device has what it had by then in `schedule`, and its links are free;
/// of those that could start, the one that was the first. What `schedule` says of links does not
/// matter: it may be too much for them. O(sends × log).
[[nodiscard]] Schedule retime_schedule(const FabricState& fabric, const Schedule& schedule);

/// An all-reduce of a reduce-scatter and an all-gather of the same pieces: one after the other, in
/// `parts` parts of each shard. The gather of each part is beside the scatter of the next, whether
/// links have room for both or not: for retime_schedule(). With one part, a schedule as it is.
[[nodiscard]] Schedule join_schedules(const Schedule& scatter, const Schedule& gather,
                                      std::int64_t chunks, std::int64_t parts);

}  // namespace orrery::synthesis
