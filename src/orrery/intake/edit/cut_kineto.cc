// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "orrery/core/text/units.h"
#include "orrery/intake/edit/cut_internal.h"
#include "orrery/profile/iterations.h"
#include "orrery/trace/json/decimal.h"
#include "orrery/trace/kineto/reader.h"

namespace orrery::intake {
namespace {

using profile::Event;
using profile::EventId;
using profile::Kind;
using profile::kNoId;
using profile::Profile;

/// Decides which records are retained.
struct Window {
  Time from{};
  Time to{kTimeMax};
  std::int64_t origin_ns = 0;               ///< subtracted from the records' own times
  std::vector<std::uint64_t> calls;         ///< correlations of all calls, ascending
  std::vector<std::uint64_t> calls_inside;  ///< of the calls that begin inside the window
};

Time first_time(const Profile& profile) {
  Time first = kTimeMax;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    if (profile.events[e].timed()) first = std::min(first, profile.events[e].start);
  }
  return first == kTimeMax ? Time{} : first;
}

Time last_time(const Profile& profile) {
  Time last{};
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    if (event.timed()) last = std::max(last, saturating_sum(event.start, event.duration));
  }
  return last;
}

std::int64_t base_time(const Profile& profile) {
  for (const auto& [key, value] : profile.facts) {
    std::int64_t base = 0;
    if (key == "baseTimeNanoseconds" &&
        std::from_chars(value.data(), value.data() + value.size(), base).ec == std::errc{})
      return base;
  }
  return 0;
}

Result<Window> window_of(const Profile& profile, const CutOptions& options, Time first) {
  Window window;
  window.origin_ns = profile.origin_ns - base_time(profile);
  if (options.iteration) {
    std::vector<std::int64_t> numbers;
    bool found = false;
    for (const profile::Iteration& iteration : profile::iterations(profile)) {
      numbers.push_back(iteration.number);
      if (iteration.number != *options.iteration || found) continue;
      found = true;
      window.from = iteration.start;
      window.to = iteration.end;
    }
    if (!found) return no_iteration(profile.where, *options.iteration, numbers);
  } else {
    window.from = options.from ? saturating_sum(first, *options.from) : first;
    if (options.to) window.to = saturating_sum(first, *options.to);
  }
  bool has_event = false;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    has_event =
        has_event || (event.timed() && event.start >= window.from && event.start < window.to);
    if (event.kind != Kind::call || profile.call(e).correlation == kNoId) continue;
    window.calls.push_back(profile.call(e).correlation);
    if (event.start >= window.from && event.start < window.to)
      window.calls_inside.push_back(profile.call(e).correlation);
  }
  if (!has_event)
    return fail(Errc::usage, profile.where, "no event begins in this window",
                fmt::format("the trace lasts {}", format_time(last_time(profile) - first)));
  std::sort(window.calls.begin(), window.calls.end());
  std::sort(window.calls_inside.begin(), window.calls_inside.end());
  return window;
}

/// The values of a record that decide whether it is retained.
struct Record {
  std::string_view phase, category;
  std::optional<Time> start;
  std::optional<std::uint64_t> correlation;  ///< of device work and of the flow to it
};

std::optional<std::uint64_t> unsigned_value(simdjson::ondemand::value value) {
  std::uint64_t number = 0;
  return value.get_uint64().get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

/// Parses a number up to the next token as a time since the origin.
std::optional<Time> time_of(std::string_view text, std::int64_t origin_ns) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  const auto ps = trace::json::fixed_point_since(text, 6, origin_ns, 3);
  return ps ? std::optional(Time(*ps)) : std::nullopt;
}

bool is_device_category(std::string_view category) {
  for (const std::string_view word :
       {"kernel", "Kernel", "gpu_", "Memcpy", "Memset", "cuda_sync", "ac2g", "async", "mtia_ccp"}) {
    if (category.substr(0, word.size()) == word) return true;
  }
  return false;
}

Record record_of(simdjson::ondemand::object& element, std::int64_t origin_ns) {
  Record record;
  std::optional<std::uint64_t> id, correlation;
  for (auto field : element) {
    simdjson::ondemand::raw_json_string key;
    simdjson::ondemand::value value;
    if (field.key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS)
      return record;
    if (key == "ph") {
      if (value.get_string().get(record.phase) != simdjson::SUCCESS) record.phase = {};
    } else if (key == "cat") {
      if (value.get_string().get(record.category) != simdjson::SUCCESS) record.category = {};
    } else if (key == "ts") {
      record.start = time_of(value.raw_json_token(), origin_ns);
    } else if (key == "id") {
      id = unsigned_value(value);
    } else if (key == "args") {
      simdjson::ondemand::object args;
      if (value.get_object().get(args) != simdjson::SUCCESS) continue;
      simdjson::ondemand::value found;
      if (args.find_field_unordered("correlation").get(found) == simdjson::SUCCESS)
        correlation = unsigned_value(found);
    }
  }
  if (is_device_category(record.category)) record.correlation = correlation ? correlation : id;
  return record;
}

bool is_inside(const Window& window, const Record& record) {
  if (record.phase == "M") return true;
  const auto has = [&](const std::vector<std::uint64_t>& sorted) {
    return std::binary_search(sorted.begin(), sorted.end(), *record.correlation);
  };
  if (record.correlation && has(window.calls)) return has(window.calls_inside);
  return record.start && *record.start >= window.from && *record.start < window.to;
}

}  // namespace

Result<CutReport> cut_kineto(const trace::Input& input, const CutOptions& options,
                             const std::string& path, Findings& findings) {
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  const auto profile = trace::kineto::read(*std::move(source),
                                           {input.name, std::make_shared<StringPool>()}, findings);
  if (!profile) return tl::unexpected(profile.error());
  const Time first = first_time(*profile);
  const auto window = window_of(*profile, options, first);
  if (!window) return tl::unexpected(window.error());
  Findings repeated;  // the same findings as in the first pass
  auto report = copy_elements(
      input, "traceEvents",
      [&](simdjson::ondemand::object& element) {
        return is_inside(*window, record_of(element, window->origin_ns));
      },
      path, options.force, repeated);
  if (!report) return report;
  report->from = window->from - first;
  report->to = window->to == kTimeMax ? kTimeMax : window->to - first;
  return report;
}

}  // namespace orrery::intake
