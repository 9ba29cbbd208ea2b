// SPDX-License-Identifier: Apache-2.0
//
// htsim's fat trees (.topo): nodes, tiers, pod size; for each tier speed, radix down and up, number
// of parallel links, and latencies.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The tree that htsim builds: a pod has Podsize / Radix_Down ToRs, each with Radix_Up uplinks,
/// `Bundle` of the tier above to each switch of its pod. With three tiers, the n-th switches of all
/// pods share cores. The latency of a switch is part of every link that leaves it. Errc:
/// input_corrupt, input_missing_attr, input_range, input_mismatch (what does not go into each
/// other), limit_exceeded.
[[nodiscard]] Result<Topology> read_htsim(std::string_view text, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::platform
