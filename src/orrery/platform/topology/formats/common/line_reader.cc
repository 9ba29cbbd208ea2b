// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/common/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::platform {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr std::string_view kMark = "\xEF\xBB\xBF";

void split(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

LineReader::LineReader(std::string_view text) : rest_(text) {
  if (rest_.starts_with(kMark)) rest_.remove_prefix(kMark.size());
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  split(line_, words_);
  return true;
}

bool LineReader::next_content_line() {
  while (next()) {
    if (!words_.empty() && !words_[0].starts_with('#') && !words_[0].starts_with("//")) return true;
  }
  return false;
}

std::string_view trimmed_front(std::string_view text) {
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const std::size_t at = text.find_first_not_of(" \t\r\n\f\v");
  return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

std::string at_line(const std::string& where, std::size_t line) {
  return fmt::format("{}:{}", where, line);
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  return number_in<std::uint64_t>(text);
}

std::optional<double> real_number(std::string_view text) {
  const std::optional<double> value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

bool mentions(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end();
}

bool mentions_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return mentions(text, part); });
}

Result<Bandwidth> read_rate(std::string_view text, const std::string& place) {
  Result<Bandwidth> rate = parse_bandwidth(text, place);
  if (!rate)
    return fail(Errc::input_corrupt, place, fmt::format("{} is not a data rate", in_quotes(text)),
                "write 400Gbps or 50 GB/s");
  return read_rate(rate->count(), 1, place);
}

Result<Bandwidth> read_rate(double number, double unit, const std::string& place) {
  const double rate = number * unit;
  if (rate > 0 && std::isfinite(rate)) return Bandwidth(rate);
  return fail(Errc::input_range, place,
              number == 0 ? std::string("a bandwidth of 0") : std::string("an invalid bandwidth"),
              "remove the link, or the bandwidth if it is unknown");
}

Result<Time> read_delay(std::string_view text, const std::string& place) {
  Result<Time> delay = parse_time(text, place);
  if (delay) return delay;
  return fail(delay.error().code == Errc::config_range ? Errc::input_range : Errc::input_corrupt,
              place, fmt::format("{} is not a delay", in_quotes(text)), "write 500ns or 0.0005ms");
}

Result<Time> read_delay(double number, double unit, const std::string& place) {
  const double picoseconds = std::round(number * unit);
  if (picoseconds >= 0 && picoseconds < 9e18) return Time(static_cast<std::int64_t>(picoseconds));
  return fail(Errc::input_range, place, "a latency that is negative or longer than 100 days");
}

std::uint64_t max_parts(std::size_t bytes) {
  return std::min(limits::kFabricMaxParts,
                  limits::kFabricBaseParts + limits::kFabricPartsPerByte * bytes);
}

Result<void> check_parts(std::uint64_t parts, std::size_t bytes, const std::string& where) {
  if (parts <= max_parts(bytes)) return {};
  return fail(
      Errc::limit_exceeded, where,
      fmt::format("{} bytes claim {} nodes and links; the limit for that size is {}", bytes,
                  parts == std::numeric_limits<std::uint64_t>::max()
                      ? std::string("more than 10^19")
                      : std::to_string(parts),
                  max_parts(bytes)),
      "describe a smaller fabric, or let a cluster file generate it (fabric: {hosts: ..., network: "
      "...})");
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::numeric_limits<std::uint64_t>::max();
  return product;
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace orrery::platform
