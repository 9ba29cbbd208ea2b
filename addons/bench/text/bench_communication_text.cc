// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_communication_text.h"

#include <fmt/format.h>

#include "addons/bench/outcome/communication_times.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

using bench::CommunicationTime;
using report::JsonWriter;

std::string taken(std::int64_t ns) { return format_time(Time(ns * 1000)); }

/// Of all kinds.
CommunicationTime sum_of(const std::vector<CommunicationTime>& times) {
  CommunicationTime sum;
  for (const CommunicationTime& time : times) {
    sum.count += time.count;
    sum.bytes += time.bytes;
    sum.recorded += time.recorded;
    sum.length_ns += time.length_ns;
    sum.exposed_ns += time.exposed_ns;
  }
  return sum;
}

std::vector<CommunicationTime> times_of(const Benchmark& benchmark) {
  return bench::communication_times(benchmark.plan,
                                    benchmark.outcome.value_or(bench::ReplayOutcome{}));
}

}  // namespace

void add_communication(report::Sheet& sheet, const Benchmark& benchmark) {
  const bench::ReplayPlan& plan = benchmark.plan;
  if (plan.communications > 0)
    sheet.add("not replayed", plural(plan.communications, "communication"));
  if (plan.exchanges.empty()) return;
  std::string line = fmt::format("{} ({})", plural(plan.exchanges.size(), "communication"),
                                 benchmark.communication);
  if (benchmark.outcome) {
    const CommunicationTime sum = sum_of(times_of(benchmark));
    line += fmt::format(": {} an iteration, {} of it waited for", taken(sum.length_ns),
                        taken(sum.exposed_ns));
  }
  if (benchmark.predicted_communications > plan.exchanges.size())
    line += fmt::format("; the run has {}", count(benchmark.predicted_communications));
  sheet.add("communication", line);
}

std::string communication_table(const Benchmark& benchmark, report::Style style) {
  if (!benchmark.outcome || benchmark.plan.exchanges.empty()) return "";
  report::Table table({{"communication", false},
                       {"calls", true},
                       {"bytes", true},
                       {"recorded", true},
                       {"replayed", true},
                       {"hidden", true},
                       {"exposed", true}});
  for (const CommunicationTime& time : times_of(benchmark)) {
    table.row({std::string(profile::name(time.kind)), count(time.count),
               format_bytes(Bytes(time.bytes)),
               time.recorded == Time{} ? "" : format_time(time.recorded), taken(time.length_ns),
               taken(time.hidden_ns), taken(time.exposed_ns)});
  }
  return table.text(style);
}

void write_communication(JsonWriter& json, const Benchmark& benchmark) {
  json.key("communication").begin_object();
  json.field("mode", benchmark.communication)
      .field("communications", benchmark.plan.communications);
  json.field("run_communications", benchmark.predicted_communications);
  json.key("by_kind").begin_array();
  for (const CommunicationTime& time : times_of(benchmark)) {
    json.begin_object().field("kind", profile::name(time.kind)).field("count", time.count);
    json.field("bytes", time.bytes).nanoseconds("recorded", time.recorded);
    if (benchmark.outcome) {
      json.field("length_ns", time.length_ns).field("hidden_ns", time.hidden_ns);
      json.field("exposed_ns", time.exposed_ns);
    }
    json.end_object();
  }
  json.end_array().end_object();
}

std::string bench_ranks_text(const std::vector<Benchmark>& ranks, const Findings& findings,
                             report::Style style) {
  report::Sheet sheet(style);
  sheet.add("recording",
            fmt::format("{}, level {}", plural(ranks.size(), "rank"), ranks.front().level));
  sheet.add("replayed by",
            fmt::format("{}, a process for each, communication {}",
                        printable(ranks.front().framework), ranks.front().communication));
  report::add_findings(sheet, findings, style);
  report::Table table({{"rank", true},
                       {"operators", true},
                       {"failed", true},
                       {"iteration", true},
                       {"CPU time", true},
                       {"allocated", true},
                       {"communication", true},
                       {"exposed", true}});
  std::string each;
  for (const Benchmark& rank : ranks) {
    const bench::Coverage coverage = bench::coverage_of(rank.plan);
    if (!rank.outcome) {
      table.row({std::to_string(rank.rank), count(coverage.all.count)});
      continue;
    }
    const bench::Timing timing = bench::timing_of(rank.plan, *rank.outcome);
    const CommunicationTime sum = sum_of(times_of(rank));
    table.row({std::to_string(rank.rank), count(coverage.all.count), count(timing.failed_operators),
               taken(timing.wall.half), taken(timing.cpu.half),
               format_bytes(Bytes(rank.outcome->peak_bytes)), taken(sum.length_ns),
               taken(sum.exposed_ns)});
    each += fmt::format("\nrank {}\n{}", rank.rank, communication_table(rank, style));
  }
  return sheet.text() + "\n" + table.text(style) + each;
}

std::string bench_ranks_json(const std::vector<Benchmark>& ranks, const Findings& findings) {
  return report::envelope("bench", findings, [&](JsonWriter& json) {
    json.begin_object().key("per_rank").begin_array();
    for (const Benchmark& rank : ranks) write_benchmark(json, rank);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
