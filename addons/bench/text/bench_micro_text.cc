// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_micro_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {
namespace {

using report::JsonWriter;

constexpr std::size_t kMicroShown = 20;
constexpr std::size_t kTensorsLength = 30;

std::string micro_ns(std::int64_t ns) { return format_time(Time(ns * 1000)); }

/// Weight times median.
std::int64_t all_ns(const MicroBenchmark& measured, std::size_t i) {
  return measured.times[i].each.half * static_cast<std::int64_t>(measured.all[i].weight);
}

/// Most are "float", and there is little room.
std::string brief(std::string tensors) {
  constexpr std::string_view kUsual = "float ";
  for (std::size_t at = 0; (at = tensors.find(kUsual, at)) != std::string::npos;)
    tensors.erase(at, kUsual.size());
  return printable(tensors, kTensorsLength);
}

struct Sums {
  std::uint64_t operators = 0;
  std::uint64_t failed = 0;
  std::int64_t ns = 0;
  Time recorded{};
};

Sums sums_of(const MicroBenchmark& measured) {
  Sums sums;
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    sums.operators += measured.all[i].weight;
    sums.failed += measured.times[i].failures > 0 ? 1 : 0;
    sums.ns += all_ns(measured, i);
    sums.recorded += measured.all[i].recorded;
  }
  return sums;
}

std::string micro_table(const MicroBenchmark& measured, const Sums& sums, report::Style style) {
  std::vector<std::size_t> order(measured.all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all_ns(measured, a) > all_ns(measured, b);
  });
  report::Table table({{"operator", false},
                       {"takes", false},
                       {"weight", true},
                       {"median", true},
                       {"99 %", true},
                       {"share", true}});
  for (std::size_t row = 0; row < std::min(order.size(), kMicroShown); ++row) {
    const bench::Microbenchmark& micro = measured.all[order[row]];
    const bench::MicrobenchmarkTime& time = measured.times[order[row]];
    table.row({printable(micro.name), brief(micro.tensors), count(micro.weight),
               micro_ns(time.each.half), micro_ns(time.each.p99),
               share(Time(all_ns(measured, order[row])), Time(sums.ns))});
  }
  std::string text = table.text(style);
  if (order.size() > kMicroShown)
    text += fmt::format("and {} more (--json)\n", count(order.size() - kMicroShown));
  return text;
}

void write_micro(JsonWriter& json, const bench::Microbenchmark& micro,
                 const bench::MicrobenchmarkTime& time, bool timed) {
  json.begin_object().field("name", micro.name).field("tensors", micro.tensors);
  json.field("calls", micro.weight);
  json.field("min_ns", time.each.least).field("median_ns", time.each.half);
  json.field("p90_ns", time.each.p90).field("p99_ns", time.each.p99);
  json.field("max_ns", time.each.most);
  if (timed) json.nanoseconds("recorded", micro.recorded);
  if (micro.kernel) json.field("kernel_text", graph::to_text(*micro.kernel));
  json.field("failures", time.failures);
  if (time.failures > 0) json.field("reason", time.reason);
  json.end_object();
}

}  // namespace

std::string bench_micro_text(const MicroBenchmark& measured, const Findings& findings,
                             report::Style style) {
  const Benchmark& planned = measured.planned;
  const Sums sums = sums_of(measured);
  report::Sheet sheet(style);
  sheet.add("recording", fmt::format("rank {}, {}, level {}", planned.rank, printable(planned.file),
                                     planned.level));
  sheet.add("replayed by", framework_text(planned));
  sheet.add("operators",
            fmt::format("{}, {} different", count(sums.operators), count(measured.all.size())));
  sheet.add("all together", fmt::format("{}: weights times medians", micro_ns(sums.ns)));
  if (planned.plan.timed) sheet.add("recorded", format_time(sums.recorded));
  if (sums.failed == 0) sheet.add("failed", "nothing");
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    if (measured.times[i].failures > 0)
      sheet.add(style.bad("failed"), fmt::format("{}: {}", printable(measured.all[i].name, 60),
                                                 printable(measured.times[i].reason, 160)));
  }
  report::add_findings(sheet, findings, style);
  return sheet.text() + "\n" + micro_table(measured, sums, style);
}

std::string bench_micro_json(const MicroBenchmark& measured, const Findings& findings) {
  return report::envelope("bench", findings, [&](JsonWriter& json) {
    const Benchmark& planned = measured.planned;
    const Sums sums = sums_of(measured);
    json.begin_object().field("rank", planned.rank).field("file", planned.file);
    json.field("framework", planned.framework).field("level", planned.level);
    json.field("operators", sums.operators).field("distinct_operators", measured.all.size());
    json.field("failed", sums.failed).field("total_ns", sums.ns);
    if (planned.plan.timed) json.nanoseconds("recorded", sums.recorded);
    json.key("micro").begin_array();
    for (std::size_t i = 0; i < measured.all.size(); ++i)
      write_micro(json, measured.all[i], measured.times[i], planned.plan.timed);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
