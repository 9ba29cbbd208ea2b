// SPDX-License-Identifier: Apache-2.0
//
// Common causes of lost time in a recording, with what helps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/profile/inspection/inspection.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

enum class Cause : std::uint8_t {
  data_loader,    ///< the device is idle while a thread waits for a data loader
  small_kernels,  ///< the device waits for launches of kernels shorter than their launches
  synchronizing_operators,  ///< the device is idle after an operator waited for it
  pageable_copies           ///< copies between the device and memory that is not pinned
};
inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::pageable_copies) + 1;
/// "data_loader".
[[nodiscard]] std::string_view name(Cause cause);

struct Advice {
  Cause cause = Cause::data_loader;
  std::uint64_t count = 0;  ///< cases: ranges, kernels, waits, copies
  Time time{};              ///< idle time of the device, or time of copies, during them
  double share = 0;         ///< of the length of the recording
  std::string example;      ///< name of the range, kernel, operator or copy with the most time
};

/// Causes with at least 2 % of the length of the recording, in the order of Cause. Times of
/// different causes may overlap. `inspection` is of `profile`, which is attached. Empty without
/// device work. O(events log events).
[[nodiscard]] std::vector<Advice> advice(const Profile& profile, const Inspection& inspection);

}  // namespace orrery::profile
