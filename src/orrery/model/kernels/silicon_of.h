// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The data sheet of a device in the catalog.
[[nodiscard]] Silicon silicon_of(const platform::DeviceEntry& entry);

/// The data sheet of a cluster's device; figures of the cluster file take precedence. A device that
/// the catalog does not contain has the same peak in every format.
[[nodiscard]] Silicon silicon_of(const platform::Device& device);

}  // namespace orrery::model
