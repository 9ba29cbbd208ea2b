// SPDX-License-Identifier: Apache-2.0
//
// How probably something happens so often by chance.
#pragma once

#include <cstdint>

namespace orrery::model {

/// The probability of `times` or more in `of` independent trials of probability `each`: the upper
/// tail of the binomial distribution, to about 1e-12. O(of - times)
[[nodiscard]] double binomial_at_least(std::uint64_t times, std::uint64_t of, double each);

}  // namespace orrery::model
