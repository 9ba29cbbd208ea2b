// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The cluster restricted to these devices (ascending). Dimensions shrink to the coordinates of
/// these devices, and dimensions of size 1 are removed; links and switches are unchanged. A fabric
/// is unchanged, with ranks on these devices only. Errc: usage (unknown device); config_conflict
/// (the devices are not a grid, or remote memories or algorithms depend on the number of devices).
/// O(devices × dimensions).
[[nodiscard]] Result<Platform> restrict_to_devices(const Platform& platform,
                                                   const std::vector<std::uint32_t>& devices);

}  // namespace orrery::platform
