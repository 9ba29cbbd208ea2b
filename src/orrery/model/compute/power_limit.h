// SPDX-License-Identifier: Apache-2.0
//
// Kernel times on a device whose power is limited below that of its board.
#pragma once

#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The time of a kernel under device.power_limit_w, from its time `alone` at the board's power
/// (power/sustained_clock.h). Without a limit, or if the board's power is unknown: `alone`. Applies
/// to models of kernels alone, as time_in_step().
[[nodiscard]] KernelTime time_under_power_limit(KernelTime alone, const graph::Kernel& kernel,
                                                const platform::Device& device,
                                                const Silicon& silicon);

}  // namespace orrery::model
