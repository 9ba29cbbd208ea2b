// SPDX-License-Identifier: Apache-2.0
//
// Two recorded ranks against each other: what is new, gone, slower.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/profile/inspection/inspection.h"

namespace orrery::profile {

/// One name in two traces. Counts and times are per iteration when both traces have iterations.
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
  Breakdown a, b;                     ///< of the mean iteration, or of the whole traces
  std::vector<NameDifference> added;  ///< only in the second, longest first
  std::vector<NameDifference> gone;   ///< only in the first, longest first
  std::vector<NameDifference>
      changed;             ///< in both, other counts or times; largest difference first
  std::uint64_t same = 0;  ///< in both with equal count and time
};

/// Names of device work and of operators (by own time), each with its kind.
[[nodiscard]] ProfileDifference difference(const Inspection& a, const Inspection& b);

}  // namespace orrery::profile
