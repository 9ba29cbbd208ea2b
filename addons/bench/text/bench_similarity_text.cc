// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_similarity_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

using bench::OperatorComparison;
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

bool is_empty(const OperatorComparison& one) {
  return one.recorded.count == 0 && one.replayed.count == 0;
}

std::int64_t all_ns(const Similarity& similarity, bool replayed) {
  std::int64_t sum = 0;
  for (const OperatorComparison& one : similarity.classes)
    sum += replayed ? one.replayed.ns : one.recorded.ns;
  return sum;
}

std::string part_of(std::int64_t ns, std::int64_t all) {
  return all == 0 ? "-" : report::percent(static_cast<double>(ns) / static_cast<double>(all));
}

/// "56", or "13 of 27"
std::string counts_of(const OperatorComparison& one) {
  if (one.recorded.count == one.replayed.count) return count(one.recorded.count);
  return fmt::format("{} of {}", count(one.replayed.count), count(one.recorded.count));
}

/// Recorded times where there are any, else how fast memory is read and written here.
std::string classes_table(const Similarity& similarity, report::Style style) {
  std::vector<report::Table::Column> columns{{"kind of work", false}, {"operators", true}};
  if (similarity.timed)
    columns.insert(columns.end(),
                   {{similarity.on_device ? "device" : "recorded", true}, {"share", true}});
  columns.insert(columns.end(), {{"replay", true}, {"share", true}, {"calculates", true}});
  if (!similarity.timed) columns.push_back({"moves", true});
  report::Table table(columns);
  const std::int64_t recorded = all_ns(similarity, false), replayed = all_ns(similarity, true);
  for (const OperatorComparison& one : similarity.classes) {
    if (is_empty(one)) continue;
    std::vector<std::string> row{std::string(name(one.kind)), counts_of(one)};
    if (similarity.timed) {
      row.push_back(time_of(one.recorded.ns));
      row.push_back(part_of(one.recorded.ns, recorded));
    }
    row.push_back(time_of(one.replayed.ns));
    row.push_back(part_of(one.replayed.ns, replayed));
    row.push_back(rate_of(one.replayed.flops_rate(), true));
    if (!similarity.timed) row.push_back(rate_of(one.replayed.bytes_rate(), false));
    table.row(std::move(row));
  }
  return table.text(style);
}

/// Those whose numbers differ, most first.
std::vector<const bench::OperatorCount*> differing(const Similarity& similarity) {
  std::vector<const bench::OperatorCount*> list;
  for (const bench::OperatorCount& one : similarity.ran)
    if (one.recorded != one.replayed) list.push_back(&one);
  const auto distance = [](const bench::OperatorCount* one) {
    return std::max(one->recorded, one->replayed) - std::min(one->recorded, one->replayed);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto* a, const auto* b) { return distance(a) > distance(b); });
  return list;
}

std::string ran_table(const Similarity& similarity, report::Style style) {
  const auto list = differing(similarity);
  if (list.empty()) return "";
  report::Table table({{"ran in other numbers", false}, {"recorded", true}, {"replayed", true}});
  for (std::size_t i = 0; i < std::min(list.size(), kNamesShown); ++i)
    table.row({printable(list[i]->name), count(list[i]->recorded), count(list[i]->replayed)});
  std::string text = "\n" + table.text(style);
  if (list.size() > kNamesShown)
    text += fmt::format("and {} more (--json)\n", count(list.size() - kNamesShown));
  return text;
}

std::string comms_table(const Similarity& similarity, report::Style style) {
  if (similarity.comms.empty()) return "";
  report::Table table({{"communication", false},
                       {"recorded", true},
                       {"bytes", true},
                       {"time", true},
                       {"replayed", true},
                       {"time", true}});
  for (const bench::CommunicationComparison& one : similarity.comms)
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

void write_taken(JsonWriter& json, std::string_view name, const bench::ResourceUse& taken) {
  json.key(name).begin_object().field("count", taken.count).field("time_ns", taken.ns);
  json.field("known_ns", taken.known_ns).field("flop", taken.flops).field("bytes", taken.bytes);
  json.end_object();
}

void write_compared(JsonWriter& json, std::string_view key, const OperatorComparison& one) {
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
  write_optional(json, "difference_share", memory.mean_distance());
  json.field("profiled", memory.profiled);
  write_curve(json, "recorded_curve", memory.recorded);
  write_curve(json, "replayed_curve", memory.replayed);
  json.end_object();
}

void write_lists(JsonWriter& json, const Similarity& similarity) {
  json.key("work_by_kind").begin_array();
  for (const OperatorComparison& one : similarity.classes)
    if (!is_empty(one)) write_compared(json, "kind", one);
  json.end_array().key("work_by_name").begin_array();
  for (const OperatorComparison& one : similarity.names) write_compared(json, "name", one);
  json.end_array().key("operator_counts").begin_array();
  for (const bench::OperatorCount& one : similarity.ran)
    json.begin_object()
        .field("name", one.name)
        .field("recorded_count", one.recorded)
        .field("replayed_count", one.replayed)
        .end_object();
  json.end_array().key("communication_by_kind").begin_array();
  for (const bench::CommunicationComparison& one : similarity.comms)
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

std::string mix_text(const Similarity& similarity) {
  const auto mean_distance = similarity.mix_distance();
  return fmt::format(
      "{} recorded, {} ran, inner ones included{}", count(similarity.recorded_operators()),
      count(similarity.replayed_operators()),
      mean_distance ? fmt::format("; the mix is {} apart", report::percent(*mean_distance)) : "");
}

std::string time_text(const Similarity& similarity) {
  const auto mean_distance = similarity.time_distance();
  if (!mean_distance) return "";
  return fmt::format("{} on the recorded {}, {} here; by kind of work {} apart",
                     time_of(all_ns(similarity, false)), similarity.on_device ? "device" : "host",
                     time_of(all_ns(similarity, true)), report::percent(*mean_distance));
}

std::string memory_usage_text(const Similarity& similarity) {
  const auto change = similarity.memory.peak_change();
  if (!change) return "";
  return fmt::format("{} more at the peak {}, {} here ({}); curves {} apart",
                     bytes_of(similarity.memory.recorded.peak()),
                     similarity.memory.profiled ? "as recorded" : "by recorded lifetimes",
                     bytes_of(similarity.memory.replayed.peak()), signed_percent(*change),
                     report::percent(similarity.memory.mean_distance().value_or(0)));
}

std::string communication_text(const Similarity& similarity) {
  std::vector<std::string> kinds;
  for (const bench::CommunicationComparison& one : similarity.comms)
    kinds.push_back(fmt::format(
        "{} {}, {} together{}", count(one.recorded), profile::name(one.kind), bytes_of(one.bytes),
        one.replayed == 0 ? ", left out" : fmt::format(", {} replayed", count(one.replayed))));
  return fmt::format("{}", fmt::join(kinds, "; "));
}

std::string busy_text(const Similarity& similarity) {
  const bench::Utilisation& busy = similarity.busy;
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

void add_similarity(report::Sheet& sheet, const Similarity& similarity) {
  const auto line = [&](std::string_view label, const std::string& words) {
    if (!words.empty()) sheet.add(label, words);
  };
  line("operator mix", mix_text(similarity));
  line("time", time_text(similarity));
  line("step memory", memory_usage_text(similarity));
  line("communication", communication_text(similarity));
  line("busy", busy_text(similarity));
}

std::string similarity_tables(const Similarity& similarity, report::Style style) {
  return classes_table(similarity, style) + ran_table(similarity, style) +
         comms_table(similarity, style);
}

void write_similarity(JsonWriter& json, const Similarity& similarity) {
  json.key("similarity").begin_object();
  json.field("recorded_operators", similarity.recorded_operators());
  json.field("replayed_operators", similarity.replayed_operators());
  write_optional(json, "mix_difference_share", similarity.mix_distance());
  write_optional(json, "time_difference_share", similarity.time_distance());
  json.field("on_device", similarity.on_device);
  write_memory(json, similarity.memory);
  json.key("utilisation").begin_object();
  write_optional(json, "device_busy_share", similarity.busy.device);
  write_optional(json, "occupancy_share", similarity.busy.occupancy);
  write_optional(json, "processor_busy_share", similarity.busy.processor);
  write_optional(json, "power_w", similarity.busy.watts);
  json.end_object();
  write_lists(json, similarity);
  json.end_object();
}

}  // namespace orrery::present
