// SPDX-License-Identifier: Apache-2.0
//
// For tests of many cases: how many of them to run.
#pragma once

#include <cstdlib>
#include <string_view>

namespace orrery::core_testing {

/// ORRERY_TEST_EFFORT in the environment is "full". Anything else, and no value, is quick.
[[nodiscard]] inline bool full_effort() {
  const char* const effort = std::getenv("ORRERY_TEST_EFFORT");
  return effort != nullptr && std::string_view(effort) == "full";
}

/// Cases that a test runs: `full` with full effort, otherwise `quick`. Both have to cover every
/// kind of case.
template <class Count>
[[nodiscard]] Count case_count(Count full, Count quick) {
  return full_effort() ? full : quick;
}

}  // namespace orrery::core_testing
