// SPDX-License-Identifier: Apache-2.0
//
// A recording's host with the times that operators usually take (Lin et al., TPDS 2024, algorithm
// 1).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/host/host_overheads.h"

namespace orrery::profile {

/// T1 to T5 by what they are of.
class HostOverheadTimes {
 public:
  explicit HostOverheadTimes(std::span<const OverheadRow> rows);

  /// Of that operator, or of that function; else of all. 0: nobody measured any.
  [[nodiscard]] double us(Overhead overhead, std::string_view of) const;

 private:
  std::map<std::pair<Overhead, std::string>, double, std::less<>> means_;
};

/// What threads were told to take, and what is left as recorded.
struct PredictedHost {
  Time recorded{};   ///< of the steps that were told: what they took
  Time predicted{};  ///< … and take now
  Time retained{};   ///< of all other steps
};

/// Operators take T1 before them, T2 until their first launch, T4 for each, T5 between two, T3
/// after the last; operators that launch nothing T5. Operators in which the host waits for the
/// device keep their own times, as does what is no operator's, a pause of 200 us and more before an
/// operator (T1 is none of it), and what begins a thread. O(events).
[[nodiscard]] PredictedHost predict_host(const Profile& profile, Dependencies& dependencies,
                                         const HostOverheadTimes& times);

}  // namespace orrery::profile
