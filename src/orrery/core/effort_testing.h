// SPDX-License-Identifier: Apache-2.0
//
// For tests with many cases: how many of them run.
#pragma once

#include <cstdlib>
#include <string_view>

namespace orrery::core_testing {

/// True if the environment variable ORRERY_TEST_EFFORT is "full". Any other value, or none, means
/// quick.
[[nodiscard]] inline bool full_effort() {
  const char* const effort = std::getenv("ORRERY_TEST_EFFORT");
  return effort != nullptr && std::string_view(effort) == "full";
}

/// The number of cases that a test runs: `full` with full effort, otherwise `quick`. Both must
/// cover every kind of case.
template <class Count>
[[nodiscard]] Count case_count(Count full, Count quick) {
  return full_effort() ? full : quick;
}

}  // namespace orrery::core_testing
