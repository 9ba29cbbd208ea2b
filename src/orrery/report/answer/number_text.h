// SPDX-License-Identifier: Apache-2.0
//
// Numbers and short sentences shared by the texts of all commands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/memory_need.h"
#include "orrery/core/quantity.h"
#include "orrery/report/answer/value.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

using analysis::bytes_text;
using analysis::count;
using analysis::plural;

/// "differ from the simulations by at most 0.52 %.", with advice when the error `worst` (a share)
/// is large and not `all` were simulated.
[[nodiscard]] std::string estimate_error_text(double worst, bool all);

/// "12 stored points are out of date: …".
[[nodiscard]] std::string out_of_date_text(std::uint64_t number, std::string_view what);

/// "1.606 s"; clamped to the range of Time.
[[nodiscard]] std::string seconds_text(double seconds);
/// The same text for people; nanoseconds for programs.
[[nodiscard]] Value seconds_value(double seconds);

[[nodiscard]] Time magnitude(Time time);

/// "+1.5 us", "-20 ns"
[[nodiscard]] std::string signed_time(Time time);

/// "61.2 %"; "-" of nothing.
[[nodiscard]] std::string share(Time part, Time whole);

/// "+1.20 %", "0.00 %": how much longer the second is.
[[nodiscard]] std::string relative_change(Time recorded, Time simulated);

/// "+3.1 %"
[[nodiscard]] std::string signed_share(double share);
/// "3.1 %"
[[nodiscard]] std::string error_text(double error);
/// The same text for people; the ratio for programs.
[[nodiscard]] Value error_value(double error);

/// "549.8 GFLOP", "1.2 MB": four digits.
[[nodiscard]] std::string scaled_text(double number, std::string_view unit);

/// "268.4 MB": SI units, as rates of links have them. Memory has its own texts.
[[nodiscard]] std::string traffic_text(Bytes bytes);

/// Null for an empty text, which people read as `none`.
[[nodiscard]] Value text_or_null(const std::string& text, std::string none = "-");
/// The number of something: without separators of thousands.
[[nodiscard]] Value id_value(std::uint64_t number);

/// "fits", "may not fit" or "does not fit", in its color.
[[nodiscard]] std::string memory_fit_text(MemoryFit fit, Style style);
/// "15.37 GB to spare", "3.10 GB too much".
[[nodiscard]] std::string spare_text(Bytes spare);

/// The 80 % prediction interval of the difference of two steps, and whether it includes zero.
[[nodiscard]] std::string difference_interval_text(const analysis::DifferenceInterval& band);
/// The same as a JSON object.
void write_difference_interval(JsonWriter& json, const analysis::DifferenceInterval& band);

/// The 80 % prediction interval of a step as a JSON object.
void write_step_interval(JsonWriter& json, const analysis::StepInterval& interval);

/// "1, 3-6": like format_ranks, without "ranks".
[[nodiscard]] std::string rank_numbers_text(std::span<const std::uint32_t> ranks);

}  // namespace orrery::report
