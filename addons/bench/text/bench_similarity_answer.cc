// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_similarity_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

using bench::OperatorComparison;
using bench::OperatorCount;
using bench::Similarity;
using report::Columns;
using report::Value;

/// "-" for people if it is 0.
Value time_value(std::int64_t time_ns) {
  return time_ns == 0 ? Value(Time{}).shown("-") : Value(ns(time_ns));
}
std::string time_of(std::int64_t time_ns) { return time_value(time_ns).text(); }
std::string bytes_of(std::int64_t bytes) { return format_bytes(Bytes(bytes)); }
std::string signed_percent(double share) {
  return std::abs(share) < 0.0005 ? "0.0 %" : fmt::format("{:+.1f} %", share * 100);
}

template <class Rate>
std::string rate_of(double per_second) {
  return per_second > 0 ? Value(Rate(per_second)).text() : "-";
}

std::int64_t all_ns(const Similarity& similarity, bench::ResourceUse OperatorComparison::*side) {
  std::int64_t sum = 0;
  for (const OperatorComparison& one : similarity.classes) sum += (one.*side).ns;
  return sum;
}

/// "56", or "13 of 27"
std::string counts_of(const OperatorComparison& one) {
  if (one.recorded.count == one.replayed.count) return count(one.recorded.count);
  return fmt::format("{} of {}", count(one.replayed.count), count(one.recorded.count));
}

/// Time and share of one side of the comparison.
void show_time(Columns<OperatorComparison>& columns, const Similarity& similarity,
               const char* title, bench::ResourceUse OperatorComparison::*side) {
  columns.add(title, "", [side](auto& one) { return time_value((one.*side).ns); })
      .show(
          "share",
          [side, all = ns(all_ns(similarity, side))](auto& one) {
            return share(ns((one.*side).ns), all);
          },
          report::Align::right);
}

void write_use(report::JsonWriter& json, const bench::ResourceUse& use) {
  json.begin_object().field("count", use.count).field("time_ns", use.ns);
  json.field("known_ns", use.known_ns).field("flop", use.flops).field("bytes", use.bytes);
  json.end_object();
}

void add_work(Columns<OperatorComparison>& columns) {
  columns.nested("recorded_work", [](auto& json, auto& one) { write_use(json, one.recorded); })
      .field("host_ns", [](auto& one) { return one.host_ns; })
      .field("device_kernels", [](auto& one) { return one.kernels; })
      .nested("replayed_work", [](auto& json, auto& one) { write_use(json, one.replayed); });
}

/// People see recorded times, if there are any; otherwise the memory rate of the replay.
Columns<OperatorComparison> kind_columns(const Similarity& similarity) {
  Columns<OperatorComparison> columns;
  columns.add("kind of work", "kind", [](auto& one) { return name(one.kind); })
      .show("operators", counts_of, report::Align::right);
  if (similarity.timed)
    show_time(columns, similarity, similarity.on_device ? "device" : "recorded",
              &OperatorComparison::recorded);
  show_time(columns, similarity, "replay", &OperatorComparison::replayed);
  columns.show(
      "FLOP rate", [](auto& one) { return rate_of<FlopRate>(one.replayed.flops_rate()); },
      report::Align::right);
  if (!similarity.timed)
    columns.show(
        "memory rate", [](auto& one) { return rate_of<Bandwidth>(one.replayed.bytes_rate()); },
        report::Align::right);
  add_work(columns);
  return columns;
}

Columns<OperatorComparison> name_columns() {
  Columns<OperatorComparison> columns;
  columns.field("name", [](auto& one) { return one.name; })
      .field("kind", [](auto& one) { return name(one.kind); })
      .field("rule", [](auto& one) { return one.rule; });
  add_work(columns);
  return columns;
}

/// Kinds of work that at least one operator does.
std::vector<OperatorComparison> kinds_with_operators(const Similarity& similarity) {
  std::vector<OperatorComparison> kinds(similarity.classes.begin(), similarity.classes.end());
  std::erase_if(kinds,
                [](auto& one) { return one.recorded.count == 0 && one.replayed.count == 0; });
  return kinds;
}

/// Operators with different counts, largest difference first.
std::vector<OperatorCount> differing(std::vector<OperatorCount> list) {
  std::erase_if(list, [](auto& one) { return one.recorded == one.replayed; });
  const auto distance = [](const OperatorCount& one) {
    return std::max(one.recorded, one.replayed) - std::min(one.recorded, one.replayed);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](auto& a, auto& b) { return distance(a) > distance(b); });
  return list;
}

Columns<OperatorCount> count_columns() {
  Columns<OperatorCount> columns;
  columns.add("different counts", "name", [](auto& one) { return one.name; })
      .add("recorded", "recorded_count", [](auto& one) { return one.recorded; })
      .add("replayed", "replayed_count", [](auto& one) { return one.replayed; });
  return columns;
}

Columns<bench::CommunicationComparison> communication_columns() {
  Columns<bench::CommunicationComparison> columns;
  columns.add("communication", "kind", [](auto& one) { return profile::name(one.kind); })
      .add("recorded", "recorded_count", [](auto& one) { return one.recorded; })
      .add("bytes", "bytes", [](auto& one) { return Bytes(one.bytes); })
      .add("time", "recorded_ns", [](auto& one) { return time_value(one.recorded_ns); })
      .add(
          "replayed", "replayed_count", [](auto& one) { return one.replayed; },
          [](auto& one) { return one.replayed == 0 ? "left out" : count(one.replayed); })
      .add("time", "replayed_ns", [](auto& one) { return time_value(one.replayed_ns); });
  return columns;
}

std::string time_text(const Similarity& similarity, double distance) {
  return fmt::format("{} on the recorded {}, {} here; kinds of work differ by {}",
                     time_of(all_ns(similarity, &OperatorComparison::recorded)),
                     similarity.on_device ? "device" : "host",
                     time_of(all_ns(similarity, &OperatorComparison::replayed)),
                     report::percent(distance));
}

void state_curve(report::Answer& answer, std::string_view key, const bench::MemoryCurve& curve) {
  answer.object(key, [&] {
    answer.field("peak_bytes", curve.peak()).list("interval_max_bytes", curve.most);
    answer.list("held_bytes", curve.held);
  });
}

void state_memory(report::Answer& answer, const bench::MemoryCurves& memory) {
  const auto change = memory.peak_change(), distance = memory.mean_distance();
  if (change)
    answer.line("step memory",
                fmt::format("peak increase {} {}, {} here ({}); curves differ by {}",
                            bytes_of(memory.recorded.peak()),
                            memory.profiled ? "as recorded" : "by recorded lifetimes",
                            bytes_of(memory.replayed.peak()), signed_percent(*change),
                            report::percent(distance.value_or(0))));
  answer.field("peak_change_ratio", change).field("difference_share", distance);
  answer.field("profiled", memory.profiled);
  state_curve(answer, "recorded_curve", memory.recorded);
  state_curve(answer, "replayed_curve", memory.replayed);
}

void state_communication(report::Answer& answer, const Similarity& similarity) {
  std::vector<std::string> kinds;
  for (const bench::CommunicationComparison& one : similarity.communications)
    kinds.push_back(fmt::format(
        "{} {}, {} in total{}", count(one.recorded), profile::name(one.kind), bytes_of(one.bytes),
        one.replayed == 0 ? ", left out" : fmt::format(", {} replayed", count(one.replayed))));
  if (!kinds.empty()) answer.line("communication", fmt::format("{}", fmt::join(kinds, "; ")));
}

void state_utilization(report::Answer& answer, const bench::Utilization& busy) {
  std::vector<std::string> facts;
  if (busy.device)
    facts.push_back(
        fmt::format("recorded device busy {} of the time", report::percent(*busy.device)));
  if (busy.occupancy)
    facts.push_back(fmt::format("its occupancy {}", report::percent(*busy.occupancy)));
  if (busy.processor)
    facts.push_back(fmt::format("CPU here busy {} of the time",
                                report::percent(std::min(*busy.processor, 1.0))));
  facts.push_back(busy.watts ? fmt::format("{:.1f} W", *busy.watts) : "power unknown");
  answer.line("busy", fmt::format("{}", fmt::join(facts, ", ")));
  answer.field("device_busy_share", busy.device).field("occupancy_share", busy.occupancy);
  answer.field("processor_busy_share", busy.processor).field("power_w", busy.watts);
}

}  // namespace

void state_similarity(report::Answer& answer, const Similarity& similarity) {
  const std::uint64_t recorded = similarity.recorded_operators();
  const std::uint64_t replayed = similarity.replayed_operators();
  const auto mix = similarity.mix_distance(), time = similarity.time_distance();
  answer.line(
      "operator mix",
      fmt::format("{} recorded, {} replayed, with inner operators{}", count(recorded),
                  count(replayed), mix ? "; the mix differs by " + report::percent(*mix) : ""));
  answer.field("recorded_operators", recorded).field("replayed_operators", replayed);
  answer.field("mix_difference_share", mix);
  if (time) answer.line("time", time_text(similarity, *time));
  answer.field("time_difference_share", time).field("on_device", similarity.on_device);
  answer.object("memory_comparison", [&] { state_memory(answer, similarity.memory); });
  state_communication(answer, similarity);
  answer.object("utilization", [&] { state_utilization(answer, similarity.utilization); });
  answer.json("work_by_kind", [&](auto& json) {
    write_rows(json, kinds_with_operators(similarity), kind_columns(similarity));
  });
  answer.table("work_by_name", similarity.names, name_columns());
  answer.json("operator_counts",
              [&](auto& json) { write_rows(json, similarity.operator_counts, count_columns()); });
  answer.json("communication_by_kind", [&](auto& json) {
    write_rows(json, similarity.communications, communication_columns());
  });
}

void state_similarity_tables(report::Answer& answer, const Similarity& similarity) {
  answer.table("", kinds_with_operators(similarity), kind_columns(similarity));
  answer.table("", differing(similarity.operator_counts), count_columns(), {.limit = 12});
  answer.table("", similarity.communications, communication_columns());
}

}  // namespace orrery::present
