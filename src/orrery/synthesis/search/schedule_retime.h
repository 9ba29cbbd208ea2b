// SPDX-License-Identifier: Apache-2.0
//
// Moves the sends of a schedule to earlier times.
#pragma once

#include "orrery/synthesis/search/routes/route_graph.h"

namespace orrery::synthesis {

/// Starts every send as soon as its device holds the pieces that it held at that time in
/// `schedule`, and its links are free. If several can start, the one that was earlier in `schedule`
/// is first. `schedule` may exceed the capacity of links. O(sends × log).
[[nodiscard]] Schedule retime_schedule(const FabricState& fabric, const Schedule& schedule);

/// Joins a reduce-scatter and an all-gather of the same pieces to an all-reduce, in `parts` parts
/// of each shard. The gather of a part overlaps with the scatter of the next part even if links
/// lack the capacity: retime_schedule() corrects this. With one part the result is valid unchanged.
[[nodiscard]] Schedule join_schedules(const Schedule& scatter, const Schedule& gather,
                                      std::int64_t chunks, std::int64_t parts);

}  // namespace orrery::synthesis
