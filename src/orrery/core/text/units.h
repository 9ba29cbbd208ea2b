// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units, as people write them: "64 MiB", "50 GB/s", "1.5 us", "989 TFLOP/s".
//
// GB is 10^9 bytes and GiB is 2^30; a small b is a bit. Nothing here depends on the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery {

// Reading. The space before the unit is optional; 0 needs no unit. Errors carry `where` and are
// Errc::config_type (not a number), config_unit (unit missing or unknown) or config_range
// (negative, too large).

/// "64 MiB", "1.5 GB", "4096 B" → whole bytes, rounded to nearest.
[[nodiscard]] Result<Bytes> parse_bytes(std::string_view text, std::string where = {});
/// "50 GB/s", "400 Gb/s", "400 Gbps", "50 GiB/s" → bytes per second.
[[nodiscard]] Result<Bandwidth> parse_bandwidth(std::string_view text, std::string where = {});
/// "500 ns", "1.5 us", "1.5 µs", "2 ms", "1 s", "3 min" → whole picoseconds, rounded to nearest.
[[nodiscard]] Result<Time> parse_time(std::string_view text, std::string where = {});
/// "989 TFLOP/s", "312 TFLOPS" → floating-point operations per second.
[[nodiscard]] Result<FlopRate> parse_flops(std::string_view text, std::string where = {});
/// "0.5", "1e3" → a finite number; the whole text must be one.
[[nodiscard]] Result<double> parse_number(std::string_view text, std::string where = {});
/// "42", "-7" → a whole number; the whole text must be one.
[[nodiscard]] Result<std::int64_t> parse_integer(std::string_view text, std::string where = {});

// Writing for people: four significant digits, trailing zeros dropped.

[[nodiscard]] std::string format_time(Time time);  ///< "117.8 us"
[[nodiscard]] std::string format_bytes(
    Bytes bytes);  ///< "64 MiB" when exact in binary, else "1.5 GB"
/// "66.12 GB": memory of devices, always in this unit so that figures can be compared.
[[nodiscard]] std::string gigabytes(std::int64_t bytes);
[[nodiscard]] std::string format_bandwidth(Bandwidth bandwidth);  ///< "450 GB/s"
[[nodiscard]] std::string format_flops(FlopRate rate);            ///< "989 TFLOP/s"
[[nodiscard]] std::string format_count(std::int64_t count);       ///< "117,780"

// Writing for machines: parses back to the very same value.

[[nodiscard]] std::string exact_time(Time time);
[[nodiscard]] std::string exact_bytes(Bytes bytes);
[[nodiscard]] std::string exact_bandwidth(Bandwidth bandwidth);
[[nodiscard]] std::string exact_flops(FlopRate rate);

}  // namespace orrery
