// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "orrery/platform/platform.h"

namespace orrery::platform {

/// How many leading dimensions of the network are one node; 0: every device is one.
///
/// Dimension 0 is a node's if it has at least a quarter of the bandwidth by which the device's
/// maker builds nodes (the catalogue), or that is not known; further ones if they have at least 90
/// % of its bandwidth and the node does not grow beyond the maker's.
[[nodiscard]] std::size_t node_dimensions(const Platform& platform);

}  // namespace orrery::platform
