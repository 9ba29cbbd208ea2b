// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_answer.h"

#include <fmt/format.h>

#include <vector>

#include "addons/bench/text/bench_communication_answer.h"
#include "addons/bench/text/bench_similarity_answer.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {
namespace {

using bench::ReplayMethod;
using report::Columns;

std::string size(std::int64_t bytes) { return format_bytes(Bytes(bytes)); }

Columns<bench::OperatorProblem> problem_columns() {
  Columns<bench::OperatorProblem> columns;
  columns.field("name", &bench::OperatorProblem::name);
  columns.field("count", &bench::OperatorProblem::count);
  return columns;
}

/// Operators that cannot run, by name: a line and an object for each.
void state_problems(report::Answer& answer, std::string_view key, std::string_view label,
                    const std::vector<bench::OperatorProblem>& problems,
                    const Columns<bench::OperatorProblem>& columns) {
  for (const bench::OperatorProblem& problem : problems)
    answer.line(answer.style().bad(label),
                fmt::format("{} {}: {}", count(problem.count), printable(problem.name, 60),
                            printable(problem.reason, 160)));
  answer.table(key, problems, columns);
}

void state_coverage(report::Answer& answer, const bench::ReplayPlan& plan) {
  const bench::Coverage coverage = bench::coverage_of(plan);
  // "312 (41.2 % of the recorded time)"
  const auto part = [&](const bench::OperatorShare& one) {
    if (!plan.timed || coverage.all.recorded == Time{}) return count(one.count);
    return fmt::format("{} ({} of the recorded time)", count(one.count),
                       share(one.recorded, coverage.all.recorded));
  };
  const auto state = [&](std::string_view key, const bench::OperatorShare& one,
                         std::string_view label = {}, std::string_view about = {}) {
    if (!label.empty() && one.count > 0) answer.line(label, fmt::format("{} {}", part(one), about));
    answer.object(key, [&] {
      answer.field("count", one.count);
      if (plan.timed) answer.field("recorded_ns", one.recorded);
    });
  };
  answer.line("operators",
              fmt::format("{} in {} steps", count(coverage.all.count), count(plan.steps.size())));
  state("all_operators", coverage.all);
  state("exact_operators", coverage.of(ReplayMethod::exact), "as recorded", "by name and overload");
  state("overload_operators", coverage.of(ReplayMethod::overload), "overloads",
        "by another overload with the same arguments");
  state("rule_operators", coverage.of(ReplayMethod::rule));
  state("skipped_operators", coverage.of(ReplayMethod::skipped));
  state("absent_operators", coverage.of(ReplayMethod::absent));
  state("communicated_operators", coverage.of(ReplayMethod::communicated));
  answer.field("communications", plan.communications).field("other_nodes", plan.other_nodes);
  Columns<bench::RuleUse> rules;
  rules.field("rule", [](auto& use) { return use.rule; })
      .field("about", [](auto& use) { return use.description; })
      .field("count", [](auto& use) { return use.share.count; });
  for (const bench::RuleUse& use : coverage.rules)
    answer.line("by rule", fmt::format("{} {}: {}", part(use.share), use.rule, use.description));
  answer.table("rule_uses", coverage.rules, rules);
  state_problems(answer, "absent_by_name", "absent", coverage.absent, problem_columns());
}

void state_planned_memory(report::Answer& answer, const bench::ReplayPlan& plan) {
  answer.line(
      "memory",
      fmt::format("peak {}, {} of it allocated before; {} for copies of written tensors",
                  size(plan.peak_bytes), size(plan.external_bytes), size(plan.restored_bytes)));
  answer.field("peak_bytes", plan.peak_bytes).field("external_bytes", plan.external_bytes);
  answer.field("restored_bytes", plan.restored_bytes);
}

/// A line only if there are several.
void state_streams(report::Answer& answer, const Benchmark& benchmark) {
  const std::uint32_t streams = bench::stream_count(benchmark.plan);
  answer.field("streams", streams);
  if (streams < 2) return;
  const bool queues = benchmark.device.starts_with("cuda");
  answer.line("streams", fmt::format("{} recorded; {}", streams,
                                     queues ? "replayed on as many"
                                            : "replayed one after another, in one queue"));
}

/// "1.2 ms (1.1 ms to 1.5 ms)"
std::string spread(const bench::TimePercentiles& times) {
  return fmt::format("{} ({} to {})", format_time(ns(times.half)), format_time(ns(times.least)),
                     format_time(ns(times.most)));
}

void state_percentiles(report::Answer& answer, std::string_view key,
                       const bench::TimePercentiles& times) {
  answer.object(key, [&] { answer.members([&](auto& json) { write_percentiles(json, times); }); });
}

void state_iterations(report::Answer& answer, const bench::ReplayOutcome& outcome,
                      const bench::Timing& timing) {
  answer.line("iteration", fmt::format("{}, {}", spread(timing.wall),
                                       plural(outcome.wall_ns.size(), "iteration")));
  answer.line("CPU time", spread(timing.cpu));
  state_percentiles(answer, "wall_time", timing.wall);
  state_percentiles(answer, "cpu_time", timing.cpu);
  answer.list("wall_ns", outcome.wall_ns).list("cpu_ns", outcome.cpu_ns);
  answer.line(
      "allocated",
      outcome.peak_bytes < 0
          ? fmt::format("{} before; the device reports no peak", size(outcome.external_bytes))
          : fmt::format("peak {}, {} of it allocated before", size(outcome.peak_bytes),
                        size(outcome.external_bytes)));
  answer.field("external_bytes", outcome.external_bytes);
  answer.field("copied_bytes", outcome.copies_bytes);
  if (outcome.peak_bytes >= 0) answer.field("peak_bytes", outcome.peak_bytes);
}

void state_failures(report::Answer& answer, const bench::Timing& timing) {
  Columns<bench::OperatorProblem> columns = problem_columns();
  columns.field("reason", &bench::OperatorProblem::reason);
  state_problems(answer, "failed_by_name", "failed", timing.failed, columns);
  if (timing.failed.empty()) answer.line("failed", "none");
  answer.field("failed_operators", timing.failed_operators);
  if (timing.reshaped > 0)
    answer.line("other sizes",
                fmt::format("{}: sizes of their results depend on values; recorded sizes used",
                            plural(timing.reshaped, "step")));
  answer.field("reshaped_steps", timing.reshaped);
}

Columns<bench::OperatorTime> operator_columns(const bench::Timing& timing) {
  Columns<bench::OperatorTime> columns;
  columns.add("operator", "name", [](auto& one) { return one.name; })
      .add("calls", "calls", [](auto& one) { return one.calls; })
      .add("total", "total_ns", [](auto& one) { return ns(one.total_ns); })
      .field("recorded_ns", [](auto& one) { return one.recorded; })
      .show(
          "share", [&](auto& one) { return share(ns(one.total_ns), ns(timing.operators_ns)); },
          report::Align::right)
      .add("median", "", [](auto& one) { return ns(one.each.half); })
      .add("90 %", "", [](auto& one) { return ns(one.each.p90); })
      .add("99 %", "", [](auto& one) { return ns(one.each.p99); })
      .members([](auto& json, auto& one) {
        report::Answer members(json);
        state_percentiles(members, "per_call", one.each);
      });
  return columns;
}

}  // namespace

void state_recording(report::Answer& answer, const Benchmark& benchmark) {
  const std::string framework = printable(benchmark.framework);
  answer.line("recording", fmt::format("rank {}, {}, level {}", benchmark.rank,
                                       printable(benchmark.file), benchmark.level));
  answer.field("rank", benchmark.rank).field("file", benchmark.file);
  answer.field("level", benchmark.level);
  answer.row(
      "replayed by", "framework", benchmark.framework,
      benchmark.device == "cpu" ? framework : framework + " on " + printable(benchmark.device, 20));
}

void write_percentiles(report::JsonWriter& json, const bench::TimePercentiles& times) {
  json.field("min_ns", times.least).field("median_ns", times.half).field("p90_ns", times.p90);
  json.field("p99_ns", times.p99).field("max_ns", times.most);
}

void state_benchmark(report::Answer& answer, const Benchmark& benchmark, const Findings& findings) {
  const bench::ReplayPlan& plan = benchmark.plan;
  state_recording(answer, benchmark);
  answer.field("device", benchmark.device);
  if (!benchmark.changed.empty()) answer.row("changed", "change", benchmark.changed);
  answer.object("coverage", [&] { state_coverage(answer, plan); });
  answer.object("planned_memory", [&] { state_planned_memory(answer, plan); });
  state_streams(answer, benchmark);
  answer.object("communication", [&] { state_communication(answer, benchmark); });
  answer.field("load_ns", benchmark.load_ns).field("plan_ns", benchmark.plan_ns);
  answer.field("plan_steps", plan.steps.size());
  if (!benchmark.outcome) {
    answer.findings(findings);
    return;
  }
  const bench::ReplayOutcome& outcome = *benchmark.outcome;
  const bench::Timing timing = bench::timing_of(plan, outcome);
  const Columns<bench::OperatorTime> operators = operator_columns(timing);
  const Time load = ns(benchmark.load_ns), planning = ns(benchmark.plan_ns);
  answer.object("replay", [&] {
    answer.row("prepared in", "prepare_ns", ns(outcome.prepare_ns),
               fmt::format("{}: reading {}, planning {}",
                           format_time(load + planning + ns(outcome.prepare_ns)), format_time(load),
                           format_time(planning)));
    state_iterations(answer, outcome, timing);
    state_failures(answer, timing);
    answer.field("operators_ns", timing.operators_ns);
    answer.json("per_operator", [&](auto& json) { write_rows(json, timing.operators, operators); });
  });
  if (benchmark.similarity)
    answer.object("similarity", [&] { state_similarity(answer, *benchmark.similarity); });
  answer.findings(findings);
  answer.table("", timing.operators, operators, {.limit = 10});
  state_communication_table(answer, benchmark);
  if (benchmark.tables && benchmark.similarity)
    state_similarity_tables(answer, *benchmark.similarity);
}

}  // namespace orrery::present
