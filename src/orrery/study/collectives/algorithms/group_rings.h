// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// Adds rings over the adapters of several ranks (platform::kRings) to
/// Workload::custom_collectives, for each group of `workload` that runs a collective for which
/// `platform` has this algorithm. Groups that are in one host, that have one rank in some host,
/// whose ranks alternate between hosts, or that are too large for plans (300,000 messages of an
/// all-gather) have none. O(nodes of distinct graphs + messages of the rings). Errc: those of
/// communicators and of synthesis::lower_plan().
[[nodiscard]] Result<void> add_group_rings(const platform::Platform& platform,
                                           graph::Workload& workload);

}  // namespace orrery::study
