// SPDX-License-Identifier: Apache-2.0
//
// Numbers as the command line's texts say them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/core/quantity.h"

namespace orrery::present {

/// How far estimates were off simulations at most (a share), and what to do where that is far and
/// not all were simulated.
[[nodiscard]] std::string estimate_error_text(double worst, bool all);

/// "117,780"; what does not fit in 63 bits becomes the largest that does.
[[nodiscard]] std::string count(std::uint64_t number);

/// "12 stored points are out of date: …", for people.
[[nodiscard]] std::string out_of_date_text(std::uint64_t number, std::string_view what);

/// "1 rank", "1,200 ranks"
[[nodiscard]] std::string plural(std::uint64_t number, std::string_view word);

/// "1.606 s"; of more than the clock has, its end.
[[nodiscard]] std::string seconds_text(double seconds);

[[nodiscard]] Time magnitude(Time time);

/// "+1.5 us", "-20 ns"
[[nodiscard]] std::string signed_time(Time time);

/// "61.2 %"; "-" of nothing.
[[nodiscard]] std::string share(Time part, Time whole);

/// "+1.20 %", "0.00 %": how much longer the second is.
[[nodiscard]] std::string relative_change(Time recorded, Time simulated);

/// Whether models can tell two steps apart, knowing how far off they are.
[[nodiscard]] std::string difference_interval_text(const analysis::DifferenceInterval& band);

}  // namespace orrery::present
