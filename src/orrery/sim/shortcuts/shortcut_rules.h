// SPDX-License-Identifier: Apache-2.0
//
// Which ways to save work go together with which modes of a run. Each way names what it knows to be
// safe: a kind that is added to the platform does not compile until it is decided on here.
#pragma once

#include <string>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Why every rank has to be simulated, as far as can be told without comparing ranks; empty: one
/// may stand for all that are alike (see folding.h). O(nodes).
[[nodiscard]] std::string why_not_fold(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network);
/// The same with what is asked of the run.
[[nodiscard]] std::string why_not_fold(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network, const Options& options);

/// Why iterations must not be skipped; empty: a Snapshot has all that may be in use (see
/// repetition_skipper.h).
[[nodiscard]] std::string why_not_skip(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network, const Options& options);

/// Why ranks must not be simulated side by side; empty: they may (see parallel_parts.h).
[[nodiscard]] std::string why_one_part(const graph::Workload& workload,
                                       const platform::Platform& platform,
                                       const model::Traits& network);

}  // namespace orrery::sim
