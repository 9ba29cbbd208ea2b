// SPDX-License-Identifier: Apache-2.0
//
// What constraints over axes leave of a space, before anything of it is found out.
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
  bool axes_only = true;      ///< it is over axes alone; nothing else is checked ahead
  std::uint64_t removed = 0;  ///< of combinations that those before it leave
  std::uint64_t left = 0;     ///< by it and those before it
};

struct SpaceCheck {
  double combinations = 1;     ///< of all axes
  std::uint64_t examined = 0;  ///< of them
  bool all = true;             ///< else so many were drawn, and what is said holds for those
  std::uint64_t left = 0;      ///< of what was looked at, by all early constraints
  std::vector<ConstraintCheck> constraints;
  /// The first that, with those before it, leaves nothing of what was looked at.
  std::optional<std::size_t> impossible;
  bool alone = false;  ///< it would without those before it, too
};

/// Looks at every combination, or at kChecked that are drawn where there are more than kPoints.
/// Errc: those of expressions.
[[nodiscard]] Result<SpaceCheck> space_check(const SearchSpace& space);

}  // namespace orrery::explore
