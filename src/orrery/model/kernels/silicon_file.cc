// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/silicon_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"

namespace orrery::model {
namespace {

using std::string_view;

std::optional<double> figure_in(string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// The figure that `key` sets; null: there is no such figure.
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
    return fail(Errc::config_syntax, place, "not \"key=value\": " + in_quotes(word));
  const string_view key = word.substr(0, equals), text = word.substr(equals + 1);
  if (key == "architecture") {
    silicon.architecture = text;
    return {};
  }
  double processors = 0;
  double* figure = key == "processors" ? &processors : figure_of(silicon, key);
  if (figure == nullptr)
    return fail(Errc::config_unknown_key, place, "unknown device property: " + in_quotes(key),
                "valid are names of formats (for peaks), vector, memory, memory_bytes, l2_bytes, "
                "shared_bytes, clock, power, processors");
  const auto value = figure_in(text);
  if (!value || *value < 0 || *value > 1e21)
    return fail(Errc::config_range, place, "not a value in SI units: " + in_quotes(word));
  *figure = *value;
  if (figure == &processors) {
    if (processors > 1e6) return fail(Errc::config_range, place, "more than a million processors");
    silicon.processors = static_cast<std::int64_t>(processors);
  }
  return {};
}

}  // namespace

Result<std::vector<Silicon>> read_silicons(string_view text, const std::string& where) {
  std::vector<Silicon> silicons;
  TrimmedLineReader lines(text, where);
  for (string_view line; lines.next(line);) {
    line = line.substr(0, line.find('#'));
    Silicon silicon;
    silicon.described = true;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      const string_view word = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      if (word.empty()) continue;
      if (silicon.name.empty()) {
        silicon.name = word;
      } else if (Result<void> taken = take_figure(word, lines.place(), silicon); !taken) {
        return tl::unexpected(std::move(taken.error()));
      }
    }
    if (silicon.name.empty()) continue;
    if (!(silicon.memory > 0))
      return fail(Errc::config_missing_key, lines.place(), "a device has no memory= (in bytes/s)");
    const auto same = [&](const Silicon& other) { return other.name == silicon.name; };
    if (std::any_of(silicons.begin(), silicons.end(), same))
      return fail(Errc::config_conflict, lines.place(),
                  in_quotes(silicon.name) + " is listed twice");
    silicons.push_back(std::move(silicon));
  }
  return silicons;
}

}  // namespace orrery::model
