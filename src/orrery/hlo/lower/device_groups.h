// SPDX-License-Identifier: Apache-2.0
//
// The devices that communicate in a collective.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// Groups of devices (replica × partitions + partition), or pairs of a sender and a receiver.
struct DeviceGroups {
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
};

/// The groups of a collective of a program. Errc: input_group for ids that the program does not
/// have, or that appear twice. O(devices).
[[nodiscard]] Result<DeviceGroups> device_groups(const Program& program,
                                                 const Instruction& operation,
                                                 const std::string& where);

}  // namespace orrery::hlo
