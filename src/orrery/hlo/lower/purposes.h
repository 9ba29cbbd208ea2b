// SPDX-License-Identifier: Apache-2.0
//
// What the collectives of a program are for, from the flow of its values.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "orrery/hlo/lower/device_tasks.h"

namespace orrery::hlo {

/// Sets the purpose of all collectives. `task_of`: tasks by their last step. O(steps + edges), and
/// for each collective the operations between it and the reductions that feed it.
void set_purposes(const FlatProgram& flat, const std::map<std::uint32_t, std::uint32_t>& task_of,
                  std::vector<DeviceTask>& tasks);

}  // namespace orrery::hlo
