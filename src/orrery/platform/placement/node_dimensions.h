// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The number of leading dimensions that form one node; 0: every device is a node.
///
/// Dimension 0 belongs to a node if it has at least a quarter of the bandwidth inside nodes of the
/// vendor's reference design, or if that is unknown. Further dimensions do if they have at least 90
/// % of the bandwidth of dimension 0 and the node is at most as large as the vendor's.
[[nodiscard]] std::size_t node_dimensions(const Platform& platform);

}  // namespace orrery::platform
