// SPDX-License-Identifier: Apache-2.0
//
// Comparison of two recorded ranks: added, removed and changed names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/profile/inspection/inspection.h"

namespace orrery::profile {

/// One name in traces a and b. Counts and times are per iteration if both traces have iterations.
struct NameDifference {
  std::string name;
  Kind kind = Kind::kernel;
  double count_a = 0, count_b = 0;
  Time time_a{}, time_b{};

  [[nodiscard]] Time difference() const { return time_b - time_a; }
};

struct ProfileDifference {
  bool per_iteration = false;
  std::uint64_t iterations_a = 0, iterations_b = 0;
  Breakdown a, b;                     ///< of the mean iteration, or of the complete traces
  std::vector<NameDifference> added;  ///< only in b; by time, descending
  std::vector<NameDifference> gone;   ///< only in a; by time, descending
  std::vector<NameDifference>
      changed;             ///< in both, with other counts or times; by difference, descending
  std::uint64_t same = 0;  ///< names in both with equal count and time
  /// Device work by the operator that launched it, "" for none: kernels of other names compare by
  /// what they compute. Without equal times; by difference, descending.
  std::vector<NameDifference> launched;
};

/// Compares names of device work and of operators (by own time), each with its kind. The numbers of
/// steps do not count: "ProfilerStep#6" and "ProfilerStep#7" are one name.
[[nodiscard]] ProfileDifference difference(const Inspection& a, const Inspection& b);

}  // namespace orrery::profile
