// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_communication_answer.h"

#include <fmt/format.h>

#include <optional>

#include "addons/bench/outcome/communication_times.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

using bench::CommunicationTime;

/// Sums over all kinds, under way and exposed.
CommunicationTime sum_of(const std::vector<CommunicationTime>& times) {
  CommunicationTime sum;
  for (const CommunicationTime& time : times) {
    sum.length_ns += time.length_ns;
    sum.exposed_ns += time.exposed_ns;
  }
  return sum;
}

std::vector<CommunicationTime> times_of(const Benchmark& benchmark) {
  return bench::communication_times(benchmark.plan,
                                    benchmark.outcome.value_or(bench::ReplayOutcome{}));
}

report::Columns<CommunicationTime> communication_columns(bool replayed) {
  report::Columns<CommunicationTime> columns;
  columns.add("communication", "kind", [](auto& time) { return profile::name(time.kind); })
      .add("calls", "count", [](auto& time) { return time.count; })
      .add("bytes", "bytes", [](auto& time) { return Bytes(time.bytes); })
      .add(
          "recorded", "recorded_ns", [](auto& time) { return time.recorded; },
          [](auto& time) { return time.recorded == Time{} ? "" : format_time(time.recorded); });
  if (replayed)
    columns.add("replayed", "length_ns", [](auto& time) { return ns(time.length_ns); })
        .add("hidden", "hidden_ns", [](auto& time) { return ns(time.hidden_ns); })
        .add("exposed", "exposed_ns", [](auto& time) { return ns(time.exposed_ns); });
  return columns;
}

/// A rank and its figures, computed once. Without an outcome, most have no value.
struct RankRow {
  explicit RankRow(const Benchmark& rank)
      : benchmark(rank), operators(bench::coverage_of(rank.plan).all.count) {
    if (!rank.outcome) return;
    timing = bench::timing_of(rank.plan, *rank.outcome);
    communication = sum_of(times_of(rank));
  }

  const Benchmark& benchmark;
  std::uint64_t operators = 0;
  std::optional<bench::Timing> timing;
  CommunicationTime communication;
};

report::Columns<RankRow> rank_columns() {
  report::Columns<RankRow> columns;
  const auto add = [&](const char* title, auto value) {
    columns.add(title, "", [value](const RankRow& row) {
      return row.timing ? report::Value(value(row)) : report::Value().shown("");
    });
  };
  columns.show(
      "rank", [](auto& row) { return std::to_string(row.benchmark.rank); }, report::Align::right);
  columns.add("operators", "", [](auto& row) { return row.operators; });
  add("failed", [](auto& row) { return row.timing->failed_operators; });
  add("iteration", [](auto& row) { return ns(row.timing->wall.half); });
  add("CPU time", [](auto& row) { return ns(row.timing->cpu.half); });
  add("allocated", [](auto& row) { return Bytes(row.benchmark.outcome->peak_bytes); });
  add("communication", [](auto& row) { return ns(row.communication.length_ns); });
  add("exposed", [](auto& row) { return ns(row.communication.exposed_ns); });
  columns.members([](auto& json, auto& row) {
    report::Answer members(json);
    state_benchmark(members, row.benchmark, {});
  });
  return columns;
}

}  // namespace

void state_communication(report::Answer& answer, const Benchmark& benchmark) {
  const bench::ReplayPlan& plan = benchmark.plan;
  const std::vector<CommunicationTime> times = times_of(benchmark);
  if (plan.communications > 0)
    answer.line("not replayed", plural(plan.communications, "communication"));
  answer.field("mode", benchmark.communication).field("communications", plan.communications);
  answer.field("run_communications", benchmark.predicted_communications);
  answer.json("by_kind", [&](auto& json) {
    write_rows(json, times, communication_columns(benchmark.outcome.has_value()));
  });
  if (plan.exchanges.empty()) return;
  std::string line = fmt::format("{} ({})", plural(plan.exchanges.size(), "communication"),
                                 benchmark.communication);
  if (benchmark.outcome) {
    const CommunicationTime sum = sum_of(times);
    line += fmt::format(": {} per iteration, {} of it exposed", format_time(ns(sum.length_ns)),
                        format_time(ns(sum.exposed_ns)));
  }
  if (benchmark.predicted_communications > plan.exchanges.size())
    line += fmt::format("; the run has {}", count(benchmark.predicted_communications));
  answer.line("communication", line);
}

void state_communication_table(report::Answer& answer, const Benchmark& benchmark) {
  if (benchmark.outcome && !benchmark.plan.exchanges.empty())
    answer.table("", times_of(benchmark), communication_columns(true));
}

void state_bench_ranks(report::Answer& answer, const std::vector<Benchmark>& ranks,
                       const Findings& findings) {
  const Benchmark& first = ranks.front();
  answer.line("recording", fmt::format("{}, level {}", plural(ranks.size(), "rank"), first.level));
  answer.line("replayed by", fmt::format("{}, one process per rank, communication {}",
                                         printable(first.framework), first.communication));
  answer.findings(findings);
  const std::vector<RankRow> rows(ranks.begin(), ranks.end());
  answer.table("per_rank", rows, rank_columns());
  for (const Benchmark& rank : ranks) {
    if (!rank.outcome) continue;
    const std::string heading = fmt::format("rank {}", rank.rank);
    rank.plan.exchanges.empty() ? answer.block(heading + "\n") : answer.heading(heading);
    state_communication_table(answer, rank);
  }
}

}  // namespace orrery::present
