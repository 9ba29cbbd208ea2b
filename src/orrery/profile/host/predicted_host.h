// SPDX-License-Identifier: Apache-2.0
//
// Predicts host times of a recording from typical operator overheads (Lin et al., TPDS 2024,
// algorithm 1).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/host/host_overheads.h"

namespace orrery::profile {

/// Mean overheads T1 to T5 by operator or function, and by size (OverheadRow::size).
///
/// A few measured times say little about many uses: the first of many conversions on the CPU can
/// last a thousand times as long as the others. If a recording uses an operator u times and n < u
/// times are measured, their mean has the weight n / u, and the next more general value has the
/// rest: of all sizes of the operator, then the median of all operators. The weighted mean is
/// geometric, because host times spread over orders of magnitude.
class HostOverheadTimes {
 public:
  /// `uses`: rows of the recording to predict; only their counts are used. Empty: means.
  explicit HostOverheadTimes(std::span<const OverheadRow> rows,
                             std::span<const OverheadRow> uses = {});

  /// Overhead of operator or function `of` with inputs of this size, else of `of`, else the mean of
  /// all; 0 if none was measured.
  [[nodiscard]] double us(Overhead overhead, std::string_view of, std::string_view size = {}) const;

 private:
  std::map<std::tuple<Overhead, std::string, std::string>, double> times_;
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
