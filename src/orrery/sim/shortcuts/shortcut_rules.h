// SPDX-License-Identifier: Apache-2.0
//
// Decides which shortcuts (folding, skipping, parts) are valid in which modes of a run. Each
// shortcut lists the modes that are known to be safe: a new kind in the platform does not compile
// until it is classified here.
#pragma once

#include <string>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Why every rank must be simulated, as far as this is known without comparing ranks. Empty: one
/// rank can represent all equivalent ranks (see folding.h). O(nodes).
[[nodiscard]] std::string why_not_fold(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network);
/// The same, including the options of the run.
[[nodiscard]] std::string why_not_fold(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network, const Options& options);

/// Why iterations must not be skipped; empty: a Snapshot contains all state that can be in use (see
/// repetition_skipper.h).
[[nodiscard]] std::string why_not_skip(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network, const Options& options);

/// Why ranks must not be simulated in parallel parts; empty: they can (see parallel_parts.h).
[[nodiscard]] std::string why_one_part(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network);

}  // namespace orrery::sim
