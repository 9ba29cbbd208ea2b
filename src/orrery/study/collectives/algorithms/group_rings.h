// SPDX-License-Identifier: Apache-2.0
//
// Rings over the adapters of several ranks (platform::kRings), for the groups of a workload.
#pragma once

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/simulate.h"

namespace orrery::study {

/// Adds rings to Workload::custom_collectives, for each group of `workload` that runs a collective
/// for which `platform` has this algorithm. Groups that are in one host, that have one rank in each
/// host, whose ranks alternate between hosts, or that are too large for plans (300,000 messages of
/// an all-gather) have none; the last two are findings (group_falls_back_to_ring). O(nodes of
/// distinct graphs + messages of the rings). Errc: those of communicators and of
/// synthesis::lower_plan().
[[nodiscard]] Result<void> add_group_rings(const platform::Platform& platform,
                                           graph::Workload& workload, Findings& findings);

/// sim::simulate() with the rings that the platform asks for. All questions simulate by it, so that
/// they agree, whatever they changed in the workload or the platform before.
[[nodiscard]] Result<sim::SimResult> simulate_with_rings(const graph::Workload& workload,
                                                         const platform::Platform& platform,
                                                         const sim::Options& options);

}  // namespace orrery::study
