// SPDX-License-Identifier: Apache-2.0
//
// What times stand on once something was changed.
#pragma once

#include <optional>

#include "orrery/core/time_provenance.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// Says in `after`, which one change made of `before`, what its times stand on: those that are
/// other than before on `footing`, or on what they stood on where that is less sure; the others on
/// what they did. Where there are other nodes they stand on what those of their names did, and on
/// `footing` where it is less sure than that. `lags`: those that the change was of. O(nodes).
void set_provenance(const Workload& before, TimeProvenance provenance, std::optional<LagKind> lags,
                    Workload& after);

}  // namespace orrery::graph
