// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/similarity_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/words.h"

namespace orrery::present {
namespace {

using bench::Compared;
using bench::Similarity;
using bench::WorkClass;
using report::JsonWriter;

constexpr std::size_t kNamesShown = 12;

std::string time_of(std::int64_t ns) { return ns == 0 ? "-" : format_time(Time(ns * 1000)); }
std::string bytes_of(std::int64_t bytes) { return format_bytes(Bytes(bytes)); }
std::string signed_percent(double share) {
  return std::abs(share) < 0.0005 ? "0.0 %" : fmt::format("{:+.1f} %", share * 100);
}

std::string rate_of(double per_second, bool flops) {
  if (!(per_second > 0)) return "-";
  return flops ? format_flops(FlopRate(per_second)) : format_bandwidth(Bandwidth(per_second));
}

bool is_empty(const Compared& one) { return one.recorded.count == 0 && one.replayed.count == 0; }

std::int64_t all_ns(const Similarity& alike, bool replayed) {
  std::int64_t sum = 0;
  for (const Compared& one : alike.classes) sum += replayed ? one.replayed.ns : one.recorded.ns;
  return sum;
}

std::string part_of(std::int64_t ns, std::int64_t all) {
  return all == 0 ? "-" : report::percent(static_cast<double>(ns) / static_cast<double>(all));
}

/// "56", or "13 of 27"
std::string counts_of(const Compared& one) {
  if (one.recorded.count == one.replayed.count) return count(one.recorded.count);
  return fmt::format("{} of {}", count(one.replayed.count), count(one.recorded.count));
}

/// Recorded times where there are any, else how fast memory is read and written here.
std::string classes_table(const Similarity& alike, report::Style style) {
  std::vector<report::Table::Column> columns{{"kind of work", false}, {"operators", true}};
  if (alike.timed)
    columns.insert(columns.end(),
                   {{alike.on_device ? "device" : "recorded", true}, {"share", true}});
  columns.insert(columns.end(), {{"replay", true}, {"share", true}, {"calculates", true}});
  if (!alike.timed) columns.push_back({"moves", true});
  report::Table table(columns);
  const std::int64_t recorded = all_ns(alike, false), replayed = all_ns(alike, true);
  for (const Compared& one : alike.classes) {
    if (is_empty(one)) continue;
    std::vector<std::string> row{std::string(name(one.kind)), counts_of(one)};
    if (alike.timed) {
      row.push_back(time_of(one.recorded.ns));
      row.push_back(part_of(one.recorded.ns, recorded));
    }
    row.push_back(time_of(one.replayed.ns));
    row.push_back(part_of(one.replayed.ns, replayed));
    row.push_back(rate_of(one.replayed.flops_rate(), true));
    if (!alike.timed) row.push_back(rate_of(one.replayed.bytes_rate(), false));
    table.row(std::move(row));
  }
  return table.text(style);
}

/// Those whose numbers differ, most first.
std::vector<const bench::Ran*> differing(const Similarity& alike) {
  std::vector<const bench::Ran*> list;
  for (const bench::Ran& one : alike.ran)
    if (one.recorded != one.replayed) list.push_back(&one);
  const auto distance = [](const bench::Ran* one) {
    return std::max(one->recorded, one->replayed) - std::min(one->recorded, one->replayed);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto* a, const auto* b) { return distance(a) > distance(b); });
  return list;
}

std::string ran_table(const Similarity& alike, report::Style style) {
  const auto list = differing(alike);
  if (list.empty()) return "";
  report::Table table({{"ran in other numbers", false}, {"recorded", true}, {"replayed", true}});
  for (std::size_t i = 0; i < std::min(list.size(), kNamesShown); ++i)
    table.row({printable(list[i]->name), count(list[i]->recorded), count(list[i]->replayed)});
  std::string text = "\n" + table.text(style);
  if (list.size() > kNamesShown)
    text += fmt::format("and {} more (--json)\n", count(list.size() - kNamesShown));
  return text;
}

std::string comms_table(const Similarity& alike, report::Style style) {
  if (alike.comms.empty()) return "";
  report::Table table({{"communication", false},
                       {"recorded", true},
                       {"bytes", true},
                       {"time", true},
                       {"replayed", true},
                       {"time", true}});
  for (const bench::CommCompared& one : alike.comms)
    table.row({std::string(profile::name(one.kind)), count(one.recorded), bytes_of(one.bytes),
               time_of(one.recorded_ns), one.replayed == 0 ? "left out" : count(one.replayed),
               time_of(one.replayed_ns)});
  return "\n" + table.text(style);
}

void write_optional(JsonWriter& json, std::string_view name, const std::optional<double>& number) {
  json.key(name);
  if (number) {
    json.value(*number);
  } else {
    json.null();
  }
}

void write_taken(JsonWriter& json, std::string_view name, const bench::Taken& taken) {
  json.key(name).begin_object().field("count", taken.count).field("time_ns", taken.ns);
  json.field("known_ns", taken.known_ns).field("flop", taken.flops).field("bytes", taken.bytes);
  json.end_object();
}

void write_compared(JsonWriter& json, std::string_view key, const Compared& one) {
  json.begin_object();
  if (key == "name") {
    json.field("name", one.name).field("kind", name(one.kind)).field("rule", one.rule);
  } else {
    json.field(key, name(one.kind));
  }
  write_taken(json, "recorded_work", one.recorded);
  json.field("host_ns", one.host_ns).field("device_kernels", one.kernels);
  write_taken(json, "replayed_work", one.replayed);
  json.end_object();
}

void write_curve(JsonWriter& json, std::string_view name, const bench::MemoryCurve& curve) {
  json.key(name).begin_object().field("peak_bytes", curve.peak());
  json.key("interval_max_bytes").begin_array();
  for (const std::int64_t bytes : curve.most) json.value(bytes);
  json.end_array().key("held_bytes").begin_array();
  for (const std::int64_t bytes : curve.held) json.value(bytes);
  json.end_array().end_object();
}

void write_memory(JsonWriter& json, const bench::MemoryCurves& memory) {
  json.key("memory_comparison").begin_object();
  write_optional(json, "peak_change_ratio", memory.peak_change());
  write_optional(json, "difference_share", memory.apart());
  json.field("profiled", memory.profiled);
  write_curve(json, "recorded_curve", memory.recorded);
  write_curve(json, "replayed_curve", memory.replayed);
  json.end_object();
}

void write_lists(JsonWriter& json, const Similarity& alike) {
  json.key("work_by_kind").begin_array();
  for (const Compared& one : alike.classes)
    if (!is_empty(one)) write_compared(json, "kind", one);
  json.end_array().key("work_by_name").begin_array();
  for (const Compared& one : alike.names) write_compared(json, "name", one);
  json.end_array().key("operator_counts").begin_array();
  for (const bench::Ran& one : alike.ran)
    json.begin_object()
        .field("name", one.name)
        .field("recorded_count", one.recorded)
        .field("replayed_count", one.replayed)
        .end_object();
  json.end_array().key("communication_by_kind").begin_array();
  for (const bench::CommCompared& one : alike.comms)
    json.begin_object()
        .field("kind", profile::name(one.kind))
        .field("recorded_count", one.recorded)
        .field("bytes", one.bytes)
        .field("recorded_ns", one.recorded_ns)
        .field("replayed_count", one.replayed)
        .field("replayed_ns", one.replayed_ns)
        .end_object();
  json.end_array();
}

}  // namespace

std::string mix_words(const Similarity& alike) {
  const auto apart = alike.mix_apart();
  return fmt::format("{} recorded, {} ran, inner ones included{}",
                     count(alike.recorded_operators()), count(alike.replayed_operators()),
                     apart ? fmt::format("; the mix is {} apart", report::percent(*apart)) : "");
}

std::string time_words(const Similarity& alike) {
  const auto apart = alike.time_apart();
  if (!apart) return "";
  return fmt::format("{} on the recorded {}, {} here; by kind of work {} apart",
                     time_of(all_ns(alike, false)), alike.on_device ? "device" : "host",
                     time_of(all_ns(alike, true)), report::percent(*apart));
}

std::string memory_words(const Similarity& alike) {
  const auto change = alike.memory.peak_change();
  if (!change) return "";
  return fmt::format("{} more at the peak {}, {} here ({}); curves {} apart",
                     bytes_of(alike.memory.recorded.peak()),
                     alike.memory.profiled ? "as recorded" : "by recorded lifetimes",
                     bytes_of(alike.memory.replayed.peak()), signed_percent(*change),
                     report::percent(alike.memory.apart().value_or(0)));
}

std::string comm_words(const Similarity& alike) {
  std::vector<std::string> kinds;
  for (const bench::CommCompared& one : alike.comms)
    kinds.push_back(fmt::format(
        "{} {}, {} together{}", count(one.recorded), profile::name(one.kind), bytes_of(one.bytes),
        one.replayed == 0 ? ", left out" : fmt::format(", {} replayed", count(one.replayed))));
  return fmt::format("{}", fmt::join(kinds, "; "));
}

std::string busy_words(const Similarity& alike) {
  const bench::Busy& busy = alike.busy;
  std::vector<std::string> facts;
  if (busy.device)
    facts.push_back(fmt::format("recorded device {} of the time", report::percent(*busy.device)));
  if (busy.occupancy)
    facts.push_back(fmt::format("its occupancy {}", report::percent(*busy.occupancy)));
  if (busy.processor)
    facts.push_back(fmt::format("processor here {} of the time",
                                report::percent(std::min(*busy.processor, 1.0))));
  facts.push_back(busy.watts ? fmt::format("{:.1f} W", *busy.watts) : "power not known");
  return fmt::format("{}", fmt::join(facts, ", "));
}

void add_similarity(report::Sheet& sheet, const Similarity& alike) {
  const auto line = [&](std::string_view label, const std::string& words) {
    if (!words.empty()) sheet.add(label, words);
  };
  line("operator mix", mix_words(alike));
  line("time", time_words(alike));
  line("step memory", memory_words(alike));
  line("communication", comm_words(alike));
  line("busy", busy_words(alike));
}

std::string similarity_tables(const Similarity& alike, report::Style style) {
  return classes_table(alike, style) + ran_table(alike, style) + comms_table(alike, style);
}

void write_similarity(JsonWriter& json, const Similarity& alike) {
  json.key("similarity").begin_object();
  json.field("recorded_operators", alike.recorded_operators());
  json.field("replayed_operators", alike.replayed_operators());
  write_optional(json, "mix_difference_share", alike.mix_apart());
  write_optional(json, "time_difference_share", alike.time_apart());
  json.field("on_device", alike.on_device);
  write_memory(json, alike.memory);
  json.key("utilisation").begin_object();
  write_optional(json, "device_busy_share", alike.busy.device);
  write_optional(json, "occupancy_share", alike.busy.occupancy);
  write_optional(json, "processor_busy_share", alike.busy.processor);
  write_optional(json, "power_w", alike.busy.watts);
  json.end_object();
  write_lists(json, alike);
  json.end_object();
}

}  // namespace orrery::present
