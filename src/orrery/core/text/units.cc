// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "orrery/core/text/text.h"

namespace orrery {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

// In each table, the first spelling of a factor is used for output. Factors are ascending.
constexpr double kKi = 1024.0, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024,
                 kPi = kTi * 1024;

constexpr std::array kByteUnits = {
    Unit{"B", 1},     Unit{"kB", 1e3},  Unit{"KB", 1e3},  Unit{"MB", 1e6},  Unit{"GB", 1e9},
    Unit{"TB", 1e12}, Unit{"PB", 1e15}, Unit{"KiB", kKi}, Unit{"kiB", kKi}, Unit{"MiB", kMi},
    Unit{"GiB", kGi}, Unit{"TiB", kTi}, Unit{"PiB", kPi}};

constexpr std::array kBitUnits = {Unit{"b", 0.125},     Unit{"bit", 0.125},   Unit{"kb", 125},
                                  Unit{"Kb", 125},      Unit{"kbit", 125},    Unit{"Mb", 125e3},
                                  Unit{"Mbit", 125e3},  Unit{"Gb", 125e6},    Unit{"Gbit", 125e6},
                                  Unit{"Tb", 125e9},    Unit{"Tbit", 125e9},  Unit{"Kib", kKi / 8},
                                  Unit{"Mib", kMi / 8}, Unit{"Gib", kGi / 8}, Unit{"Tib", kTi / 8}};

constexpr std::array kTimeUnits = {
    Unit{"ps", 1},          Unit{"ns", 1e3},        Unit{"us", 1e6},
    Unit{"\xC2\xB5s", 1e6}, Unit{"\xCE\xBCs", 1e6}, Unit{"ms", 1e9},
    Unit{"s", 1e12},        Unit{"min", 60e12},     Unit{"h", 3600e12}};

constexpr std::array kFlopUnits = {
    Unit{"FLOP/s", 1},     Unit{"FLOPS", 1},     Unit{"MFLOP/s", 1e6},  Unit{"MFLOPS", 1e6},
    Unit{"GFLOP/s", 1e9},  Unit{"GFLOPS", 1e9},  Unit{"TFLOP/s", 1e12}, Unit{"TFLOPS", 1e12},
    Unit{"PFLOP/s", 1e15}, Unit{"PFLOPS", 1e15}, Unit{"EFLOP/s", 1e18}, Unit{"EFLOPS", 1e18}};

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// For messages, which show less of a quantity than of a name.
std::string quoted(std::string_view text) { return in_quotes(text, 40); }

std::optional<double> factor_of(std::string_view unit, std::span<const Unit> units) {
  for (const Unit& known : units) {
    if (known.name == unit) return known.factor;
  }
  return std::nullopt;
}

struct Split {
  double number;
  std::string_view unit;
};

Result<Split> split(std::string_view text, const std::string& where, std::string_view example) {
  const std::string_view body = trimmed(text);
  const std::string_view digits = !body.empty() && body.front() == '+' ? body.substr(1) : body;
  double number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status == std::errc::result_out_of_range) {
    return fail(Errc::config_range, where, quoted(text) + " is too large or too small a number");
  }
  if (status != std::errc() || !std::isfinite(number)) {
    return fail(Errc::config_type, where, quoted(text) + " is not a number with a unit",
                fmt::format("write for example \"{}\"", example));
  }
  if (number < 0) return fail(Errc::config_range, where, quoted(text) + " is negative");
  return Split{number, trimmed(std::string_view(
                           end, static_cast<std::size_t>(digits.data() + digits.size() - end)))};
}

tl::unexpected<Error> bad_unit(std::string_view text, std::string_view unit,
                               const std::string& where, std::string_view known) {
  const std::string what = unit.empty()
                               ? quoted(text) + " has no unit"
                               : fmt::format("{} is not a unit this value can have", quoted(unit));
  return fail(Errc::config_unit, where, what, fmt::format("use one of {}", known));
}

/// Multiplies `parts` by the factor of its unit; `known` lists the valid units for errors.
Result<double> parse_rate(const Split& parts, std::optional<double> factor, std::string_view text,
                          const std::string& where, std::string_view known) {
  if (!factor && parts.unit.empty() && parts.number == 0) factor = 1;
  if (!factor) return bad_unit(text, parts.unit, where, known);
  const double rate = parts.number * *factor;
  if (!std::isfinite(rate)) return fail(Errc::config_range, where, quoted(text) + " is too large");
  return rate;
}

/// An integer number of the smallest of `units`; `known` lists the valid units for errors.
Result<std::int64_t> parse_count(std::string_view text, const std::string& where,
                                 std::span<const Unit> units, std::string_view example,
                                 std::string_view known) {
  const Result<Split> parts = split(text, where, example);
  if (!parts) return tl::unexpected(parts.error());
  const auto number = parse_rate(*parts, factor_of(parts->unit, units), text, where, known);
  if (!number) return tl::unexpected(number.error());
  const double count = std::nearbyint(*number);
  if (!(count < 9.2e18)) return fail(Errc::config_range, where, quoted(text) + " is too large");
  return static_cast<std::int64_t>(count);
}

/// Four significant digits without trailing zeros.
std::string digits(double value) {
  const double size = std::fabs(value);
  const int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

/// `value` in the largest unit for which it is at least 1.
std::string scaled(double value, std::span<const Unit> units) {
  const Unit* chosen = &units.front();
  for (const Unit& unit : units) {
    if (std::fabs(value) >= unit.factor * 0.99995) chosen = &unit;
  }
  return fmt::format("{} {}", digits(value / chosen->factor), chosen->name);
}

constexpr std::array kWrittenTimes = {Unit{"ps", 1}, Unit{"ns", 1e3}, Unit{"us", 1e6},
                                      Unit{"ms", 1e9}, Unit{"s", 1e12}};
constexpr std::array kWrittenBytes = {Unit{"B", 1},    Unit{"kB", 1e3},  Unit{"MB", 1e6},
                                      Unit{"GB", 1e9}, Unit{"TB", 1e12}, Unit{"PB", 1e15}};
constexpr std::array kWrittenBinary = {Unit{"KiB", kKi}, Unit{"MiB", kMi}, Unit{"GiB", kGi},
                                       Unit{"TiB", kTi}};
constexpr std::array kWrittenRates = {Unit{"B/s", 1},    Unit{"kB/s", 1e3},  Unit{"MB/s", 1e6},
                                      Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}, Unit{"PB/s", 1e15}};
constexpr std::array kWrittenFlops = {
    Unit{"FLOP/s", 1},     Unit{"kFLOP/s", 1e3},  Unit{"MFLOP/s", 1e6}, Unit{"GFLOP/s", 1e9},
    Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15}, Unit{"EFLOP/s", 1e18}};

/// The largest of `units` in which the shortest decimal text parses to exactly the same double.
std::string exact(double value, std::span<const Unit> units) {
  for (std::size_t i = units.size(); i-- > 0;) {
    const double in_unit = value / units[i].factor;
    if (in_unit >= 1 && in_unit < 1e6 && in_unit * units[i].factor == value) {
      return fmt::format("{} {}", in_unit, units[i].name);
    }
  }
  return fmt::format("{} {}", value, units.front().name);
}

/// The largest of `units` that divides `count`.
std::string exact_count(std::int64_t count, std::span<const Unit> units) {
  for (std::size_t i = units.size(); i-- > 0;) {
    const auto factor = static_cast<std::int64_t>(units[i].factor);
    if (count != 0 && count % factor == 0)
      return fmt::format("{} {}", count / factor, units[i].name);
  }
  return fmt::format("{} {}", count, units.front().name);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text, std::string where) {
  return parse_count(text, where, kByteUnits, "64 MiB", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB")
      .map([](std::int64_t count) { return Bytes(count); });
}

Result<Bandwidth> parse_bandwidth(std::string_view text, std::string where) {
  const Result<Split> parts = split(text, where, "50 GB/s");
  if (!parts) return tl::unexpected(parts.error());
  std::string_view size = parts->unit;
  if (size.ends_with("/s") || size.ends_with("ps")) {
    size.remove_suffix(2);
  } else {
    size = {};
  }
  std::optional<double> factor = factor_of(size, kByteUnits);
  if (!factor) factor = factor_of(size, kBitUnits);
  return parse_rate(*parts, factor, text, where, "GB/s, GiB/s, Gb/s (bits), TB/s, MB/s, B/s")
      .map([](double rate) { return Bandwidth(rate); });
}

Result<Time> parse_time(std::string_view text, std::string where) {
  return parse_count(text, where, kTimeUnits, "1.5 us", "ps, ns, us, ms, s, min, h")
      .map([](std::int64_t count) { return Time(count); });
}

Result<FlopRate> parse_flops(std::string_view text, std::string where) {
  const Result<Split> parts = split(text, where, "989 TFLOP/s");
  if (!parts) return tl::unexpected(parts.error());
  std::optional<double> factor = factor_of(parts->unit, kFlopUnits);
  if (!factor) factor = factor_of(parts->unit, kWrittenFlops);
  return parse_rate(*parts, factor, text, where, "GFLOP/s, TFLOP/s, PFLOP/s, FLOP/s")
      .map([](double rate) { return FlopRate(rate); });
}

Result<double> parse_number(std::string_view text, std::string where) {
  const std::string_view body = trimmed(text);
  double number = 0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (status == std::errc::result_out_of_range) {
    return fail(Errc::config_range, where, quoted(text) + " is too large or too small a number");
  }
  if (status != std::errc() || end != body.data() + body.size() || !std::isfinite(number)) {
    return fail(Errc::config_type, where, quoted(text) + " is not a number");
  }
  return number;
}

Result<std::int64_t> parse_integer(std::string_view text, std::string where) {
  const std::string_view body = trimmed(text);
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (status == std::errc::result_out_of_range) {
    return fail(Errc::config_range, where, quoted(text) + " is too large a number");
  }
  if (status != std::errc() || end != body.data() + body.size()) {
    return fail(Errc::config_type, where, quoted(text) + " is not a whole number");
  }
  return number;
}

std::string format_time(Time time) {
  if (time == Time{}) return "0 ns";
  return scaled(static_cast<double>(time.count()), kWrittenTimes);
}

std::string format_bytes(Bytes bytes) {
  const std::int64_t count = bytes.count();
  for (std::size_t i = kWrittenBinary.size(); i-- > 0;) {
    const auto factor = static_cast<std::int64_t>(kWrittenBinary[i].factor);
    if (count > 0 && count % factor == 0 && count / factor < 1024) {
      return fmt::format("{} {}", count / factor, kWrittenBinary[i].name);
    }
  }
  return scaled(static_cast<double>(count), kWrittenBytes);
}

std::string gigabytes(std::int64_t bytes) {
  return fmt::format("{:.2f} GB", static_cast<double>(bytes) * 1e-9);
}

std::string format_bandwidth(Bandwidth bandwidth) {
  return scaled(bandwidth.count(), kWrittenRates);
}
std::string format_flops(FlopRate rate) { return scaled(rate.count(), kWrittenFlops); }

std::string format_count(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string exact_time(Time time) {
  if (time == Time{}) return "0 ns";
  return exact_count(time.count(), kWrittenTimes);
}

std::string exact_bytes(Bytes bytes) {
  const std::int64_t count = bytes.count();
  const std::string binary = exact_count(count, kWrittenBinary);
  if (count != 0 && count % 1024 == 0 && count % 1000 != 0) return binary;
  return exact_count(count, kWrittenBytes);
}

std::string exact_bandwidth(Bandwidth bandwidth) { return exact(bandwidth.count(), kWrittenRates); }
std::string exact_flops(FlopRate rate) { return exact(rate.count(), kWrittenFlops); }

}  // namespace orrery
