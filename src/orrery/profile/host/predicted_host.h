// SPDX-License-Identifier: Apache-2.0
//
// Predicts host times of a recording from typical operator overheads (Lin et al., TPDS 2024,
// algorithm 1).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/host/host_overheads.h"

namespace orrery::profile {

/// Mean overheads T1 to T5 by operator or function.
class HostOverheadTimes {
 public:
  explicit HostOverheadTimes(std::span<const OverheadRow> rows);

  /// Mean overhead of operator or function `of`, else of all; 0 if none was measured.
  [[nodiscard]] double us(Overhead overhead, std::string_view of) const;

 private:
  std::map<std::pair<Overhead, std::string>, double, std::less<>> means_;
};

/// Total times of the threads' steps.
struct PredictedHost {
  Time recorded{};   ///< predicted steps: their recorded time
  Time predicted{};  ///< predicted steps: their predicted time
  Time retained{};   ///< all other steps, which keep their recorded time
};

/// Replaces the costs of host steps. An operator gets T1 before it, T2 until its first launch, T4
/// for each launch, T5 between two launches, and T3 after the last; an operator without a launch
/// gets T1 and T5. Recorded times stay for:
/// - operators in which the host waits for the device,
/// - events outside of operators,
/// - a pause of 200 us or more before an operator, instead of T1,
/// - the begin of a thread.
///
/// O(events).
[[nodiscard]] PredictedHost predict_host(const Profile& profile, Dependencies& dependencies,
                                         const HostOverheadTimes& times);

}  // namespace orrery::profile
