// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// What the catalogue says of a device.
[[nodiscard]] Silicon silicon_of(const platform::DeviceEntry& entry);

/// … with what the cluster says instead. One that is not of the catalogue has its peak at every
/// format.
[[nodiscard]] Silicon silicon_of(const platform::Device& device);

}  // namespace orrery::model
