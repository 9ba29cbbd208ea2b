// SPDX-License-Identifier: Apache-2.0
//
// The named ranges of a recorded rank, for its converted graph.
#pragma once

#include <memory>

#include "orrery/graph/transform/host_ranges.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

/// The ranges around the host nodes of `dependencies`: annotations, and operators without a library
/// prefix (profile::is_range_name), except autograd's nodes and those of communication libraries.
/// Nodes have the ids of the conversion (index + 1). Null: there are none. O((nodes + events) ×
/// depth of nesting + nodes log nodes).
[[nodiscard]] std::shared_ptr<const graph::HostRanges> recorded_ranges(
    const profile::Profile& profile, const profile::Dependencies& dependencies);

}  // namespace orrery::intake
