// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean …?"
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"

namespace orrery {

/// The candidate nearest to `word`, or empty when none is near enough to be what was meant.
/// Distance counts insertions, deletions, replacements and swapped neighbours, ignoring case; `_`
/// equals `-`. Ties go to the earlier candidate.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// `did you mean "x"?`, or empty when nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// `a, b, c`, for messages that list what is allowed.
[[nodiscard]] std::string join(std::span<const std::string_view> words,
                               std::string_view separator = ", ");

/// `word` when it is one of `words`, else Errc::usage with the nearest one.
[[nodiscard]] Result<void> one_of(std::string_view option, std::string_view word,
                                  const std::vector<std::string_view>& words);

}  // namespace orrery
