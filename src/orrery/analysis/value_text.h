// SPDX-License-Identifier: Apache-2.0
//
// Formats numbers and names for sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// "61.2 %"; "0 %" and "100 %" only when exact.
[[nodiscard]] std::string share_text(double share);
/// part / whole; 0 if `whole` is 0.
[[nodiscard]] double ratio(Time part, Time whole);
/// "1,234,567 tokens/s", "8.25 samples/s".
[[nodiscard]] std::string rate_text(double per_second, std::string_view what);
/// "2.535 ms (58.3 %)".
[[nodiscard]] std::string time_and_share(Time part, Time whole);
/// "(5.8 … 6.7)": an interval around `middle`, in the unit of format_time(middle).
[[nodiscard]] std::string interval_text(Time middle, Time lower, Time upper);
/// "-7.0 to +7.5 %": an error interval relative to `time`.
[[nodiscard]] std::string error_interval_text(const result::ErrorInterval& off, Time time);
/// A name in double quotes, cut if it is long. Names from traces may contain any bytes: the caller
/// must make the text printable.
[[nodiscard]] std::string quoted(std::string_view name);
/// "117,780"; numbers above 63 bits are clamped.
[[nodiscard]] std::string count(std::uint64_t number);
/// "1 rank", "1,200 ranks".
[[nodiscard]] std::string plural(std::uint64_t number, std::string_view noun);
/// "64 MiB"; numbers above 63 bits are clamped.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// Whether a span of this kind moves bytes between ranks.
[[nodiscard]] bool communicates(result::SpanKind kind);
/// `node 17 "matmul"`.
[[nodiscard]] std::string node_label(const result::Run& run, const result::Span& span);
/// `all ranks`, `group "tp0"`.
[[nodiscard]] std::string group_label(const result::Run& run, std::uint32_t group);

}  // namespace orrery::analysis
