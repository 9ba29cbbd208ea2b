// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/compare_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/analysis/comparison/cluster_names.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/results/run_summary_answer.h"

namespace orrery::present {

using analysis::Comparison;
using analysis::Metric;
using analysis::MetricChange;
using analysis::NodeChange;
using report::Value;
using result::Run;

namespace {

std::string change_text(double change) {
  if (change == 0.0) return "same";
  if (!std::isfinite(change)) return change > 0 ? "new" : "gone";
  return (change < 0 ? "-" : "+") + (std::abs(change) < 0.0005
                                         ? std::string("<0.1 %")
                                         : fmt::format("{:.1f} %", std::abs(change) * 100.0));
}

/// A metric's value alone; its text may be longer than a narrow column.
std::string short_text(const analysis::Metric& metric) {
  if (metric.unit == "s") return format_time(Time(std::llround(metric.value * kPsPerSecond)));
  if (metric.unit == "1") return report::percent(metric.value);
  if (metric.unit == "B") return format_bytes(Bytes(std::llround(metric.value)));
  if (metric.unit == "B/s") return format_bandwidth(Bandwidth(metric.value));
  return report::fit(printable(metric.text), 20);
}

/// A column's heading: how this run differs from the other.
std::string heading(const RunComparison& runs, bool first) {
  const Run& run = first ? runs.a : runs.b;
  const std::string cluster = analysis::difference_names({&runs.a, &runs.b})[first ? 0 : 1];
  std::string text = cluster;
  if (runs.a.fact("workload") != runs.b.fact("workload")) {
    text = run.fact("workload");
    if (!cluster.empty()) text += " on " + cluster;
  } else if (cluster.empty()) {
    text = first ? runs.file_a : runs.file_b;
  }
  return report::fit(printable(text), 19);
}

/// Green or red where it is large. A metric of only one run is neither better nor worse.
std::string colored_change(const MetricChange& metric, report::Style style) {
  const std::string text = change_text(metric.change);
  const std::optional<bool> more = metric.any().more_is_better;
  if (!metric.in_both() || !more || std::abs(metric.change) < 0.005) return text;
  const bool worse = *more ? metric.change < 0 : metric.change > 0;
  return worse ? style.bad(text) : style.good(text);
}

/// All metrics; for people those that are not zero in at least one run.
void state_metrics(report::Answer& answer, const RunComparison& runs) {
  const auto value = [](Metric MetricChange::*run) {
    return [run](const MetricChange& metric) {
      const Metric& one = metric.*run;
      return one.name.empty() ? Value().shown("–") : Value(one.value).shown(short_text(one));
    };
  };
  report::Columns<MetricChange> columns;
  columns.field("name", [](const auto& metric) { return metric.any().name; })
      .add("", "title", [](const auto& metric) { return metric.any().title; })
      .field("unit", [](const auto& metric) { return metric.any().unit; })
      .add(heading(runs, true), "first_value", value(&MetricChange::a))
      .align(report::Align::right)
      .add(heading(runs, false), "second_value", value(&MetricChange::b))
      .align(report::Align::right)
      .add("change", "change_ratio", &MetricChange::change,
           [style = answer.style()](const auto& metric) { return colored_change(metric, style); })
      .field("more_is_better", [](const auto& metric) {
        const auto more = metric.any().more_is_better;
        return more ? Value(*more) : Value();
      });
  std::vector<MetricChange> metrics = runs.comparison.metrics;
  if (!answer.is_json())
    std::erase_if(metrics, [](const auto& one) { return one.a.value == 0 && one.b.value == 0; });
  answer.table("metrics", metrics, columns);
}

std::string verdict_text(const RunComparison& runs) {
  const Time a = runs.a.step, b = runs.b.step;
  if (a == b) return "both steps have the same duration";
  const double change = a.count() > 0 ? seconds(b) / seconds(a) - 1 : HUGE_VAL;
  std::string text = fmt::format(
      "the second step is {} ({}) {} than the first", format_time(magnitude(b - a)),
      change_text(change).substr(std::isfinite(change) ? 1 : 0), b > a ? "longer" : "shorter");
  if (runs.threshold)
    text += fmt::format("; {} the threshold of {}", runs.regressed ? "more than" : "within",
                        report::percent(*runs.threshold));
  return text;
}

void state_verdict(report::Answer& answer, const RunComparison& runs) {
  const std::string verdict = verdict_text(runs);
  answer.row("verdict", "regressed", runs.regressed,
             runs.regressed ? answer.style().bad(verdict) : verdict);
  answer.optional_field("threshold_ratio", runs.threshold);
  answer.field("first_step_ns", runs.a.step).field("second_step_ns", runs.b.step);
  const auto& interval = runs.comparison.difference.interval;
  if (const std::string& reason = runs.comparison.difference.no_interval_reason; !reason.empty())
    answer.row("interval", "no_interval_reason", reason, "none: " + reason);
  if (!interval) {
    answer.field("difference_interval", Value());
    return;
  }
  answer.line("interval", difference_interval_text(*interval));
  answer.json("difference_interval",
              [&](auto& json) { write_difference_interval(json, *interval); });
}

std::string node_text(const NodeChange& node) {
  const std::string label = report::fit(printable(node.name), 40);
  return fmt::format(
      "{}{} {} ({}{}): {} to {}{}{}", node.a == node.b ? "same" : signed_time(node.b - node.a),
      node.ranks > 1 ? fmt::format(" x {} ranks:", count(node.ranks)) : "",
      label.empty() ? std::string(name(node.kind)) : label,
      node.rank == result::kNone ? "mean over all ranks"
                                 : fmt::format("rank {} node {}", node.rank, node.node),
      node.critical ? ", on the critical path" : "", format_time(node.a), format_time(node.b),
      node.why.empty() ? "" : "; ", printable(node.why));
}

/// `key` is "slower" or "faster".
void state_nodes(report::Answer& answer, std::string_view key,
                 const std::vector<NodeChange>& nodes) {
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < nodes.size() && i < kMost; ++i)
    answer.line(i == 0 ? key : "", node_text(nodes[i]));
  if (nodes.size() > kMost)
    answer.line("", fmt::format("and {} more (--json)", nodes.size() - kMost));
  report::Columns<NodeChange> columns;
  columns.field("name", &NodeChange::name)
      .field("kind", [](const auto& node) { return name(node.kind); })
      .members([](auto& json, const auto& node) {
        if (node.rank != result::kNone) json.field("rank", node.rank).field("node", node.node);
      })
      .field("ranks", [](const auto& node) { return node.ranks > 0 ? Value(node.ranks) : Value(); })
      .field("first_ns", &NodeChange::a)
      .field("second_ns", &NodeChange::b)
      .field("wait_ns", &NodeChange::wait)
      .field("queue_ns", &NodeChange::queue)
      .field("latency_ns", &NodeChange::latency)
      .field("rest_ns", &NodeChange::rest)
      .field("critical", &NodeChange::critical)
      .field("reason", &NodeChange::why);
  answer.table(key, nodes, columns);
}

void state_path(report::Answer& answer, const Comparison& comparison) {
  report::Columns<std::size_t> columns;
  columns.field("cause", [](std::size_t i) { return name(static_cast<result::PathCause>(i)); })
      .field("first_ns", [&](std::size_t i) { return comparison.path_a[i]; })
      .field("second_ns", [&](std::size_t i) { return comparison.path_b[i]; });
  answer.table("path_by_cause", row_numbers(result::kPathCauses), columns);
}

/// Entries of the manifest that differ; people get the short ones.
void state_facts(report::Answer& answer, std::string_view label, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string text;
  answer.object(key, [&] {
    for (const auto& [fact, value] : facts) {
      answer.field(fact, value);
      if (value.find('\n') != std::string::npos || value.size() > 60 || value.empty()) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(fact), printable(value));
    }
  });
  if (!text.empty()) answer.line(label, text);
}

}  // namespace

void state_comparison(report::Answer& answer, const RunComparison& runs) {
  const Comparison& comparison = runs.comparison;
  state_metrics(answer, runs);
  state_verdict(answer, runs);
  state_nodes(answer, "slower", comparison.slower);
  state_nodes(answer, "faster", comparison.faster);
  const bool changed = !comparison.slower.empty() || !comparison.faster.empty();
  const auto of_several = [](const NodeChange& node) { return node.ranks > 1; };
  if (std::any_of(comparison.slower.begin(), comparison.slower.end(), of_several) ||
      std::any_of(comparison.faster.begin(), comparison.faster.end(), of_several))
    answer.line("", "(times of a node are means over the ranks where it changed)");
  if (!changed) answer.line("slower", "no node; none is faster");
  answer.row("nodes", "matched", comparison.matched,
             fmt::format("{} in both, {} only in the first, {} only in the second",
                         comparison.matched, comparison.only_a, comparison.only_b));
  answer.field("only_first", comparison.only_a).field("only_second", comparison.only_b);
  state_path(answer, comparison);
  state_facts(answer, "the first has", "first_manifest", comparison.facts_a);
  state_facts(answer, "the second has", "second_manifest", comparison.facts_b);
  if (!answer.is_json()) return;
  Findings findings = runs.a.findings;
  findings.merge(runs.b.findings);
  answer.findings(findings);
}

}  // namespace orrery::present
