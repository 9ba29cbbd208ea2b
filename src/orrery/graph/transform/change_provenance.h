// SPDX-License-Identifier: Apache-2.0
//
// Updates the provenance of times after a change.
#pragma once

#include <optional>

#include "orrery/core/time_provenance.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Sets in `after`, the result of one change of `before`, the provenance of its times. Changed
/// times get `provenance`, or their previous provenance if that is less certain; unchanged times
/// keep theirs. If the nodes differ, times get the provenance of the nodes of the same name in
/// `before`, or `provenance` if that is less certain. `lags`: the kind of lag that was changed.
/// O(nodes).
void set_provenance(const Workload& before, TimeProvenance provenance, std::optional<LagKind> lags,
                    Workload& after);

}  // namespace orrery::graph
