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

/// The candidate nearest to `word`, or empty if none is near enough to be a likely misspelling. The
/// distance counts insertions, deletions, replacements and swapped neighbors, ignoring case; `_`
/// equals `-`. The first of equally near candidates is returned.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// `did you mean "x"?`, or empty if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// `a, b, c`, for messages that list allowed values.
[[nodiscard]] std::string join(std::span<const std::string_view> words,
                               std::string_view separator = ", ");

/// Errc::usage, with the nearest of `words`, unless `word` is one of them.
[[nodiscard]] Result<void> one_of(std::string_view option, std::string_view word,
                                  const std::vector<std::string_view>& words);

}  // namespace orrery
