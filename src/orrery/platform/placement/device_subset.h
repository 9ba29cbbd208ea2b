// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The cluster with these devices only (ascending), as they are numbered. Of dimensions those
/// places stay that some device has, and one with a single place left is gone; links and switches
/// are as they were. A fabric stays whole, and others sit on none of its devices. Errc: usage
/// where one is not there; config_conflict where the devices do not fill places of dimensions
/// evenly, or where memories beside them or algorithms chosen by size are told by how many devices
/// there are. O(devices × dimensions).
[[nodiscard]] Result<Platform> restrict_to_devices(const Platform& platform,
                                                   const std::vector<std::uint32_t>& devices);

}  // namespace orrery::platform
