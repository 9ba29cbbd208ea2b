// SPDX-License-Identifier: Apache-2.0
//
// Searches small spaces, for tests.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "orrery/explore/explore.h"
#include "orrery/explore/space/search_space_testing.h"

namespace orrery::explore {

inline ExplorationResult explored(const SearchSpace& space, const ExploreOptions& options = {}) {
  auto made = explore(space, options);
  EXPECT_TRUE(made) << to_string(made.error());
  return made ? *std::move(made) : ExplorationResult{};
}

}  // namespace orrery::explore
