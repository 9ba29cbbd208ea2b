// SPDX-License-Identifier: Apache-2.0
//
// Figures and names as sentences use them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// "61.2 %"; "0 %" and "100 %" only when exact.
[[nodiscard]] std::string share_text(double share);
/// part / whole, 0 when there is no whole.
[[nodiscard]] double ratio(Time part, Time whole);
/// "1,234,567 tokens/s", "8.25 samples/s".
[[nodiscard]] std::string rate_text(double per_second, std::string_view what);
/// "2.535 ms (58.3 %)".
[[nodiscard]] std::string time_and_share(Time part, Time whole);
/// "(5.8 … 6.7)": a band of `middle`, in the unit that format_time writes that in.
[[nodiscard]] std::string interval_text(Time middle, Time lower, Time upper);
/// "-7.0 to +7.5 %": what true times may be more than `time`.
[[nodiscard]] std::string error_interval_text(const result::ErrorInterval& off, Time time);
/// A name in double quotes, as it is: names from traces may hold anything, so who prints it makes
/// it printable. Long ones are cut.
[[nodiscard]] std::string quoted(std::string_view name);
/// "1 rank", "3 ranks".
[[nodiscard]] std::string plural_text(std::uint64_t count, std::string_view noun);
/// Whether a span of this kind moves bytes between ranks.
[[nodiscard]] bool communicates(result::SpanKind kind);
/// `node 17 "matmul"`.
[[nodiscard]] std::string node_label(const result::Run& run, const result::Span& span);
/// `all ranks`, `group "tp0"`.
[[nodiscard]] std::string group_label(const result::Run& run, std::uint32_t group);

}  // namespace orrery::analysis
