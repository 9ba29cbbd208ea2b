// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/measured.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "orrery/core/text.h"

namespace orrery::model {
namespace {

using std::string_view;

constexpr string_view kMeasuredHeader = "device,kernel,us";
constexpr std::size_t kMeasuredRows = 1u << 26;
constexpr std::size_t kTogether = 16;   // kernels in one row
constexpr double kLongestKernel = 1e9;  // µs; a kernel of a quarter of an hour is none

std::optional<double> number_in(string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

string_view next_line(string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The next field of a line of CSV, taken off with its comma; quotes only around a whole field, and
/// none inside. Nothing: that is not so.
std::optional<string_view> next_field(string_view& line) {
  const bool quoted = line.starts_with('"');
  if (quoted) line.remove_prefix(1);
  const std::size_t end = quoted ? line.find('"') : std::min(line.find(','), line.size());
  if (end == string_view::npos) return std::nullopt;
  const string_view field = line.substr(0, end);
  line.remove_prefix(end + (quoted ? 1 : 0));
  if (!line.empty()) {
    if (!line.starts_with(',')) return std::nullopt;
    line.remove_prefix(1);
  }
  if (!quoted && field.find('"') != string_view::npos) return std::nullopt;
  return field;
}

class TrainingReader {
 public:
  TrainingReader(string_view where, MeasuredKernels& into) : where_(where), into_(into) {}

  Result<void> read(string_view csv) {
    string_view header = next_line(csv);
    if (header.starts_with("\xef\xbb\xbf")) header.remove_prefix(3);
    if (header != kMeasuredHeader)
      return fail(Errc::input_corrupt, place(),
                  "the header is " + in_quotes(header) + " instead of \"device,kernel,us\"",
                  "tables of other programs become this one with collect/kernel_tables.py");
    while (!csv.empty()) {
      ++line_;
      const string_view line = next_line(csv);
      if (line.empty()) continue;
      if (into_.size() >= kMeasuredRows)
        return fail(Errc::limit_exceeded, place(), "more than 67 million rows of measured kernels");
      if (Result<void> done = row(line); !done) return done;
    }
    return {};
  }

 private:
  std::string place() const { return where_ + ":line " + std::to_string(line_); }

  Result<void> row(string_view line) {
    string_view rest = line;
    const auto device = next_field(rest);
    const auto kernel = device ? next_field(rest) : std::nullopt;
    const auto time = kernel ? next_field(rest) : std::nullopt;
    if (!time || !rest.empty() || device->empty())
      return fail(Errc::input_corrupt, place(), "not a device, a kernel and a time");
    const auto us = number_in(*time);
    if (!us || !(*us > 0) || *us > kLongestKernel)
      return fail(Errc::input_range, place(),
                  "the time " + in_quotes(*time) + " is not one of a kernel in microseconds",
                  "times have to be above 0 and below 1e9 us");
    const std::size_t before = into_.kernels.size();
    if (!take_kernels(*kernel)) {
      into_.kernels.resize(before);
      return fail(Errc::input_corrupt, place(), "not a kernel: " + in_quotes(*kernel),
                  "kernels are written as in \"gemm forward bf16,bf16>bf16 m=64 n=64 k=64\"");
    }
    into_.first.push_back(static_cast<std::uint32_t>(into_.kernels.size()));
    into_.device.push_back(index_of(*device));
    into_.seconds.push_back(*us * 1e-6);
    return {};
  }

  bool take_kernels(string_view text) {
    for (std::size_t taken = 0; taken < kTogether; ++taken) {
      const std::size_t end = text.find(" + ");
      const auto kernel = graph::parse_kernel(text.substr(0, end));
      if (!kernel) return false;
      into_.kernels.push_back(*kernel);
      if (end == string_view::npos) return true;
      text.remove_prefix(end + 3);
    }
    return false;
  }

  std::uint32_t index_of(string_view device) {
    auto& names = into_.devices;
    // The one of the row before, mostly.
    if (!into_.device.empty() && names[into_.device.back()] == device) return into_.device.back();
    const auto found = std::find(names.begin(), names.end(), device);
    if (found == names.end()) {
      names.emplace_back(device);
      return static_cast<std::uint32_t>(names.size() - 1);
    }
    return static_cast<std::uint32_t>(found - names.begin());
  }

  std::string where_;
  MeasuredKernels& into_;
  std::size_t line_ = 1;
};

/// Where the value of `key` goes; null: there is no such figure.
double* figure_of(Silicon& silicon, string_view key) {
  if (key == "vector") return &silicon.vector;
  if (key == "memory") return &silicon.memory;
  if (key == "memory_bytes") return &silicon.memory_bytes;
  if (key == "l2_bytes") return &silicon.l2_bytes;
  if (key == "shared_bytes") return &silicon.shared_bytes;
  if (key == "clock") return &silicon.clock;
  if (key == "power") return &silicon.power;
  const auto format = graph::format_of(key);
  if (!format || *format == graph::Format::unsaid) return nullptr;
  return &silicon.peak[static_cast<std::size_t>(*format)];
}

Result<void> take_figure(string_view word, const std::string& place, Silicon& silicon) {
  const std::size_t equals = word.find('=');
  if (equals == string_view::npos)
    return fail(Errc::config_syntax, place, "not a key and a value: " + in_quotes(word));
  const string_view key = word.substr(0, equals), text = word.substr(equals + 1);
  if (key == "architecture") {
    silicon.architecture = text;
    return {};
  }
  double processors = 0;
  double* figure = key == "processors" ? &processors : figure_of(silicon, key);
  if (figure == nullptr)
    return fail(Errc::config_unknown_key, place, "no figure of a device: " + in_quotes(key),
                "formats' names for peaks, vector, memory, memory_bytes, l2_bytes, shared_bytes, "
                "clock, power, processors");
  const auto value = number_in(text);
  if (!value || *value < 0 || *value > 1e21)
    return fail(Errc::config_range, place, "not a figure in SI units: " + in_quotes(word));
  *figure = *value;
  if (figure == &processors) {
    if (processors > 1e6) return fail(Errc::config_range, place, "more than a million processors");
    silicon.processors = static_cast<std::int64_t>(processors);
  }
  return {};
}

}  // namespace

Result<void> read_measured(string_view csv, string_view where, MeasuredKernels& into) {
  return TrainingReader(where, into).read(csv);
}

Result<std::vector<Silicon>> read_silicons(string_view text, string_view where) {
  std::vector<Silicon> silicons;
  for (std::size_t number = 1; !text.empty(); ++number) {
    string_view line = next_line(text);
    line = line.substr(0, line.find('#'));
    const std::string place = std::string(where) + ":line " + std::to_string(number);
    Silicon silicon;
    silicon.described = true;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      const string_view word = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      if (word.empty()) continue;
      if (silicon.name.empty()) {
        silicon.name = word;
      } else if (Result<void> taken = take_figure(word, place, silicon); !taken) {
        return tl::unexpected(std::move(taken.error()));
      }
    }
    if (silicon.name.empty()) continue;
    if (!(silicon.memory > 0))
      return fail(Errc::config_missing_key, place, "a device without memory=, bytes/s");
    silicons.push_back(std::move(silicon));
  }
  return silicons;
}

}  // namespace orrery::model
