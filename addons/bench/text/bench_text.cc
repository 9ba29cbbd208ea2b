// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/text/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "addons/bench/planner/step_streams.h"
#include "addons/bench/text/bench_communication_text.h"
#include "addons/bench/text/bench_similarity_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {
namespace {

using bench::ReplayMethod;
using report::JsonWriter;

constexpr std::size_t kOperatorsShown = 10;

std::string nanoseconds(std::int64_t ns) { return format_time(Time(ns * 1000)); }
std::string size(std::int64_t bytes) { return format_bytes(Bytes(bytes)); }

/// "312 (41.2 % of the recorded time)"
std::string part(const bench::OperatorShare& share, const bench::OperatorShare& all, bool timed) {
  if (!timed || all.recorded == Time{}) return count(share.count);
  return fmt::format("{} ({} of the recorded time)", count(share.count),
                     present::share(share.recorded, all.recorded));
}

void add_coverage(report::Sheet& sheet, const bench::ReplayPlan& plan,
                  const bench::Coverage& coverage, report::Style style) {
  const auto line = [&](std::string_view label, ReplayMethod how, std::string_view about) {
    if (coverage.of(how).count == 0) return;
    sheet.add(label, fmt::format("{} {}", part(coverage.of(how), coverage.all, plan.timed), about));
  };
  sheet.add("operators",
            fmt::format("{} in {} steps", count(coverage.all.count), count(plan.steps.size())));
  line("as recorded", ReplayMethod::exact, "by name and overload");
  line("overloads", ReplayMethod::overload, "by another overload that takes the same");
  for (const bench::RuleUse& use : coverage.rules)
    sheet.add("by rule", fmt::format("{} {}: {}", part(use.share, coverage.all, plan.timed),
                                     use.rule, use.says));
  for (const bench::OperatorProblem& trouble : coverage.absent)
    sheet.add(style.bad("absent"), fmt::format("{} {}: {}", count(trouble.count),
                                               printable(trouble.name, 60), trouble.reason));
  sheet.add("memory", fmt::format("{} at most, {} of it there before; {} for copies of what is "
                                  "written",
                                  size(plan.peak_bytes), size(plan.external_bytes),
                                  size(plan.restored_bytes)));
}

std::string spread(const bench::TimePercentiles& p) {
  return fmt::format("{} ({} to {})", nanoseconds(p.half), nanoseconds(p.least),
                     nanoseconds(p.most));
}

std::string operators_table(const bench::Timing& timing, report::Style style) {
  report::Table table({{"operator", false},
                       {"calls", true},
                       {"total", true},
                       {"share", true},
                       {"median", true},
                       {"90 %", true},
                       {"99 %", true}});
  for (std::size_t i = 0; i < std::min(timing.operators.size(), kOperatorsShown); ++i) {
    const bench::OperatorTime& one = timing.operators[i];
    table.row({printable(one.name), count(one.calls), nanoseconds(one.total_ns),
               present::share(Time(one.total_ns), Time(timing.operators_ns)),
               nanoseconds(one.each.half), nanoseconds(one.each.p90), nanoseconds(one.each.p99)});
  }
  std::string text = table.text(style);
  if (timing.operators.size() > kOperatorsShown)
    text += fmt::format("and {} more (--json)\n", count(timing.operators.size() - kOperatorsShown));
  return text;
}

void add_timing(report::Sheet& sheet, const bench::ReplayOutcome& outcome,
                const bench::Timing& timing, report::Style style) {
  sheet.add("iteration", fmt::format("{}, {}", spread(timing.wall),
                                     plural(outcome.wall_ns.size(), "iteration")));
  sheet.add("CPU time", spread(timing.cpu));
  sheet.add("allocated", outcome.peak_bytes < 0
                             ? fmt::format("{} before; how much at most the device does not say",
                                           size(outcome.external_bytes))
                             : fmt::format("{} at most, {} of it there before",
                                           size(outcome.peak_bytes), size(outcome.external_bytes)));
  for (const bench::OperatorProblem& trouble : timing.failed)
    sheet.add(style.bad("failed"),
              fmt::format("{} {}: {}", count(trouble.count), printable(trouble.name, 60),
                          printable(trouble.reason, 160)));
  if (timing.failed.empty()) sheet.add("failed", "nothing");
  if (timing.reshaped > 0)
    sheet.add("other sizes", fmt::format("{}: their results depend on values; made as recorded",
                                         plural(timing.reshaped, "step")));
}

void write_share(JsonWriter& json, std::string_view name, const bench::OperatorShare& share,
                 bool timed) {
  json.key(name).begin_object().field("count", share.count);
  if (timed) json.nanoseconds("recorded", share.recorded);
  json.end_object();
}

void write_coverage(JsonWriter& json, const bench::ReplayPlan& plan,
                    const bench::Coverage& coverage) {
  json.key("coverage").begin_object();
  write_share(json, "all_operators", coverage.all, plan.timed);
  write_share(json, "exact_operators", coverage.of(ReplayMethod::exact), plan.timed);
  write_share(json, "overload_operators", coverage.of(ReplayMethod::overload), plan.timed);
  write_share(json, "rule_operators", coverage.of(ReplayMethod::rule), plan.timed);
  write_share(json, "skipped_operators", coverage.of(ReplayMethod::skipped), plan.timed);
  write_share(json, "absent_operators", coverage.of(ReplayMethod::absent), plan.timed);
  write_share(json, "communicated_operators", coverage.of(ReplayMethod::communicated), plan.timed);
  json.field("communications", plan.communications).field("other_nodes", plan.other_nodes);
  json.key("rule_uses").begin_array();
  for (const bench::RuleUse& use : coverage.rules)
    json.begin_object()
        .field("rule", use.rule)
        .field("about", use.says)
        .field("count", use.share.count)
        .end_object();
  json.end_array().key("absent_by_name").begin_array();
  for (const bench::OperatorProblem& trouble : coverage.absent)
    json.begin_object().field("name", trouble.name).field("count", trouble.count).end_object();
  json.end_array().end_object();
}

void write_percentiles(JsonWriter& json, std::string_view name, const bench::TimePercentiles& p) {
  json.key(name).begin_object();
  json.field("min_ns", p.least).field("median_ns", p.half).field("p90_ns", p.p90);
  json.field("p99_ns", p.p99).field("max_ns", p.most).end_object();
}

void write_list(JsonWriter& json, std::string_view name, const std::vector<std::int64_t>& list) {
  json.key(name).begin_array();
  for (const std::int64_t number : list) json.value(number);
  json.end_array();
}

void write_timing(JsonWriter& json, const bench::ReplayOutcome& outcome,
                  const bench::Timing& timing) {
  json.key("replay").begin_object();
  json.field("prepare_ns", outcome.prepare_ns);
  write_percentiles(json, "wall_time", timing.wall);
  write_percentiles(json, "cpu_time", timing.cpu);
  write_list(json, "wall_ns", outcome.wall_ns);
  write_list(json, "cpu_ns", outcome.cpu_ns);
  json.field("operators_ns", timing.operators_ns);
  json.field("external_bytes", outcome.external_bytes).field("copied_bytes", outcome.copies_bytes);
  if (outcome.peak_bytes >= 0) json.field("peak_bytes", outcome.peak_bytes);
  json.field("failed_operators", timing.failed_operators).field("reshaped_steps", timing.reshaped);
  json.key("failed_by_name").begin_array();
  for (const bench::OperatorProblem& trouble : timing.failed)
    json.begin_object()
        .field("name", trouble.name)
        .field("count", trouble.count)
        .field("reason", trouble.reason)
        .end_object();
  json.end_array().key("per_operator").begin_array();
  for (const bench::OperatorTime& one : timing.operators) {
    json.begin_object().field("name", one.name).field("calls", one.calls);
    json.field("total_ns", one.total_ns).nanoseconds("recorded", one.recorded);
    write_percentiles(json, "per_call", one.each);
    json.end_object();
  }
  json.end_array().end_object();
}

/// Only where there are several.
void add_streams(report::Sheet& sheet, const Benchmark& benchmark) {
  const std::uint32_t streams = bench::stream_count(benchmark.plan);
  if (streams < 2) return;
  const bool queues = benchmark.device.starts_with("cuda");
  sheet.add("streams",
            fmt::format("{} recorded; {}", streams,
                        queues ? "played on as many" : "played one after another, in one queue"));
}

}  // namespace

std::string framework_text(const Benchmark& benchmark) {
  if (benchmark.device == "cpu") return printable(benchmark.framework);
  return printable(benchmark.framework) + " on " + printable(benchmark.device, 20);
}

std::string bench_text(const Benchmark& benchmark, const Findings& findings, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("recording", fmt::format("rank {}, {}, level {}", benchmark.rank,
                                     printable(benchmark.file), benchmark.level));
  sheet.add("replayed by", framework_text(benchmark));
  if (!benchmark.changed.empty()) sheet.add("changed", benchmark.changed);
  const bench::Coverage coverage = bench::coverage_of(benchmark.plan);
  add_coverage(sheet, benchmark.plan, coverage, style);
  add_streams(sheet, benchmark);
  add_communication(sheet, benchmark);
  if (!benchmark.outcome) {
    report::add_findings(sheet, findings, style);
    return sheet.text();
  }
  const bench::Timing timing = bench::timing_of(benchmark.plan, *benchmark.outcome);
  sheet.add("prepared in",
            fmt::format(
                "{}: {} to read, {} to plan",
                nanoseconds(benchmark.load_ns + benchmark.plan_ns + benchmark.outcome->prepare_ns),
                nanoseconds(benchmark.load_ns), nanoseconds(benchmark.plan_ns)));
  add_timing(sheet, *benchmark.outcome, timing, style);
  if (benchmark.similarity) add_similarity(sheet, *benchmark.similarity);
  report::add_findings(sheet, findings, style);
  const std::string communication = communication_table(benchmark, style);
  std::string tables;
  if (benchmark.tables && benchmark.similarity)
    tables = "\n" + similarity_tables(*benchmark.similarity, style);
  return sheet.text() + "\n" + operators_table(timing, style) +
         (communication.empty() ? "" : "\n" + communication) + tables;
}

void write_benchmark(JsonWriter& json, const Benchmark& benchmark) {
  const bench::ReplayPlan& plan = benchmark.plan;
  json.begin_object().field("rank", benchmark.rank).field("file", benchmark.file);
  json.field("framework", benchmark.framework).field("level", benchmark.level);
  json.field("device", benchmark.device).field("streams", bench::stream_count(plan));
  json.field("load_ns", benchmark.load_ns).field("plan_ns", benchmark.plan_ns);
  json.field("plan_steps", plan.steps.size());
  if (!benchmark.changed.empty()) json.field("change", benchmark.changed);
  write_coverage(json, plan, bench::coverage_of(plan));
  json.key("planned_memory").begin_object();
  json.field("peak_bytes", plan.peak_bytes).field("external_bytes", plan.external_bytes);
  json.field("restored_bytes", plan.restored_bytes).end_object();
  write_communication(json, benchmark);
  if (benchmark.outcome)
    write_timing(json, *benchmark.outcome, bench::timing_of(plan, *benchmark.outcome));
  if (benchmark.similarity) write_similarity(json, *benchmark.similarity);
  json.end_object();
}

std::string bench_json(const Benchmark& benchmark, const Findings& findings) {
  return report::envelope("bench", findings,
                          [&](JsonWriter& json) { write_benchmark(json, benchmark); });
}

}  // namespace orrery::present
