// SPDX-License-Identifier: Apache-2.0
//
// htsim's fat trees (.topo): nodes, tiers, pod size, then for each tier its speed, its radix down
// and up, how many links lie side by side, and latencies.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The tree as htsim builds it: a pod has Podsize / Radix_Down ToRs; each of them has as many links
/// up as Radix_Up, `Bundle` of the tier above to each switch of its pod; with three tiers the n-th
/// switches of all pods share cores. A switch's own latency is part of every link that leaves it.
/// Errc: input_corrupt, input_missing_attr, input_range, input_mismatch (what does not go into each
/// other), limit_exceeded.
[[nodiscard]] Result<Topology> read_htsim(std::string_view text, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::platform
