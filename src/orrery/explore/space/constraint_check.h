// SPDX-License-Identifier: Apache-2.0
//
// Counts the combinations that constraints over axes allow, before any evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

struct ConstraintCheck {
  std::string text;
  bool axes_only = true;      ///< it uses axes only; other constraints are not checked here
  std::uint64_t removed = 0;  ///< combinations removed, of those that earlier constraints leave
  std::uint64_t left = 0;     ///< combinations left after it
};

struct SpaceCheck {
  double combinations = 1;     ///< number of combinations of all axes
  std::uint64_t examined = 0;  ///< number of examined combinations
  bool all = true;             ///< false: counts refer to a sample
  std::uint64_t left = 0;      ///< examined combinations that all early constraints allow
  std::vector<ConstraintCheck> constraints;
  /// The first constraint that, together with earlier ones, excludes all examined combinations.
  std::optional<std::size_t> impossible;
  bool alone = false;  ///< `impossible` alone excludes all
};

/// Examines every combination, or kChecked sampled ones if there are more than kPoints.
/// Errc: those of expressions.
[[nodiscard]] Result<SpaceCheck> space_check(const SearchSpace& space);

}  // namespace orrery::explore
