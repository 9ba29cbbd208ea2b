// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/compare_text.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/simulate/run_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using analysis::Comparison;
using analysis::NodeChange;
using report::JsonWriter;
using report::percent;
using report::Style;
using result::Run;

namespace {

std::string signed_percent(double change) {
  if (change == 0.0) return "same";
  if (!std::isfinite(change)) return change > 0 ? "new" : "gone";
  return (change < 0 ? "-" : "+") + (std::abs(change) < 0.0005
                                         ? std::string("<0.1 %")
                                         : fmt::format("{:.1f} %", std::abs(change) * 100.0));
}

/// A metric's value alone; its text may say more than a narrow column takes.
std::string short_text(const analysis::Metric& metric) {
  if (metric.unit == "s") return format_time(Time(std::llround(metric.value * kPsPerSecond)));
  if (metric.unit == "1") return percent(metric.value);
  if (metric.unit == "B") return format_bytes(Bytes(std::llround(metric.value)));
  if (metric.unit == "B/s") return format_bandwidth(Bandwidth(metric.value));
  return report::fit(printable(metric.text), 20);
}

/// Those that are something in at least one run.
void add_metrics(report::Table& table, const Comparison& comparison, Style style) {
  for (const analysis::MetricChange& metric : comparison.metrics) {
    if (metric.a.value == 0 && metric.b.value == 0) continue;
    const bool worse = metric.any().more_is_better ? metric.change < 0 : metric.change > 0;
    std::string change = signed_percent(metric.change);
    // What only one run knows is neither better nor worse.
    if (metric.in_both() && std::abs(metric.change) >= 0.005)
      change = worse ? style.bad(change) : style.good(change);
    const auto text = [](const analysis::Metric& of) {
      return of.name.empty() ? std::string("–") : short_text(of);
    };
    table.row({metric.any().title, text(metric.a), text(metric.b), change});
  }
}

void add_nodes(report::Sheet& sheet, std::string_view title, const std::vector<NodeChange>& nodes) {
  for (std::size_t i = 0; i < nodes.size() && i < 5; ++i) {
    const NodeChange& node = nodes[i];
    const std::string label = report::fit(printable(node.name), 40);
    std::string where = node.rank == result::kNone
                            ? "over all ranks"
                            : fmt::format("rank {} node {}", node.rank, node.node);
    if (node.critical) where += ", on the critical path";
    sheet.add(i == 0 ? title : "",
              fmt::format("{} {} ({}): {} to {}{}{}",
                          node.a == node.b ? "same" : signed_time(node.b - node.a),
                          label.empty() ? std::string(name(node.kind)) : label, where,
                          format_time(node.a), format_time(node.b), node.why.empty() ? "" : "; ",
                          printable(node.why)));
  }
  if (nodes.size() > 5) sheet.add("", fmt::format("and {} more (--json)", nodes.size() - 5));
}

std::string verdict_line(const RunComparison& verdict) {
  const Time a = verdict.a.step, b = verdict.b.step;
  if (a == b) return "both take the same time";
  const double change = a.count() > 0 ? seconds(b) / seconds(a) - 1 : HUGE_VAL;
  std::string text = fmt::format(
      "the second step is {} ({}) {} than the first", format_time(magnitude(b - a)),
      signed_percent(change).substr(std::isfinite(change) ? 1 : 0), b > a ? "longer" : "shorter");
  if (verdict.threshold) {
    text += fmt::format("; {} the threshold of {}", verdict.regressed ? "more than" : "within",
                        percent(*verdict.threshold));
  }
  return text;
}

void add_facts(report::Sheet& sheet, const Comparison& comparison) {
  const auto line = [&](const char* label, const auto& facts) {
    std::string text;
    for (const auto& [key, value] : facts) {
      // A whole configuration is for --json.
      if (value.find('\n') != std::string::npos || value.size() > 60 || value.empty()) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(key), printable(value));
    }
    if (!text.empty()) sheet.add(label, text);
  };
  line("the first has", comparison.facts_a);
  line("the second has", comparison.facts_b);
}

/// A column's heading: what tells one run from the other.
std::string heading(const RunComparison& verdict, bool first) {
  const Run& run = first ? verdict.a : verdict.b;
  const bool workload = verdict.a.fact("workload") != verdict.b.fact("workload");
  const bool cluster = verdict.a.fact("cluster") != verdict.b.fact("cluster");
  std::string text = first ? verdict.file_a : verdict.file_b;
  if (workload && cluster) {
    text = title_of(run);
  } else if (workload || cluster) {
    text = run.fact(workload ? "workload" : "cluster");
  }
  return report::fit(printable(text), 19);
}

void write_nodes(JsonWriter& json, std::string_view key, const std::vector<NodeChange>& nodes) {
  json.key(key).begin_array();
  for (const NodeChange& node : nodes) {
    json.begin_object().field("name", node.name).field("kind", name(node.kind));
    if (node.rank != result::kNone) json.field("rank", node.rank).field("node", node.node);
    json.nanoseconds("first", node.a).nanoseconds("second", node.b);
    json.nanoseconds("wait", node.wait).nanoseconds("queue", node.queue);
    json.nanoseconds("latency", node.latency).nanoseconds("rest", node.rest);
    json.field("critical", node.critical).field("reason", node.why).end_object();
  }
  json.end_array();
}

}  // namespace

std::string compare_text(const RunComparison& verdict, Style style) {
  const Comparison& comparison = verdict.comparison;
  report::Table table(
      {{""}, {heading(verdict, true), true}, {heading(verdict, false), true}, {"change", true}});
  add_metrics(table, comparison, style);
  report::Sheet sheet(style);
  const std::string line = verdict_line(verdict);
  sheet.add("verdict", verdict.regressed ? style.bad(line) : line);
  if (comparison.band) sheet.add("band", difference_interval_text(*comparison.band));
  add_nodes(sheet, "slower", comparison.slower);
  add_nodes(sheet, "faster", comparison.faster);
  const bool changed = !comparison.slower.empty() || !comparison.faster.empty();
  if (changed && verdict.b.ranks.size() > 1)
    sheet.add("", "(times of a node are summed over the ranks that have it)");
  if (!changed) sheet.add("slower", "no node, and none is faster");
  sheet.add("nodes", fmt::format("{} in both, {} only in the first, {} only in the second",
                                 comparison.matched, comparison.only_a, comparison.only_b));
  add_facts(sheet, comparison);
  return table.text(style) + "\n" + sheet.text();
}

std::string compare_json(const RunComparison& verdict) {
  const Comparison& comparison = verdict.comparison;
  Findings findings = verdict.a.findings;
  findings.merge(verdict.b.findings);
  return report::envelope("compare", findings, [&](report::JsonWriter& json) {
    json.begin_object().nanoseconds("first_step", verdict.a.step);
    json.nanoseconds("second_step", verdict.b.step).field("regressed", verdict.regressed);
    if (verdict.threshold) json.field("threshold_ratio", *verdict.threshold);
    json.key("difference_interval");
    if (comparison.band) {
      json.begin_object().nanoseconds("low", comparison.band->lower);
      json.nanoseconds("high", comparison.band->upper);
      json.nanoseconds("unknown", comparison.band->unknown);
      json.field("contains_zero", comparison.band->contains_zero()).end_object();
    } else {
      json.null();
    }
    json.key("metrics").begin_array();
    for (const analysis::MetricChange& metric : comparison.metrics) {
      const analysis::Metric& any = metric.any();
      const auto value = [&](std::string_view key, const analysis::Metric& of) {
        json.key(key);
        of.name.empty() ? json.null() : json.value(of.value);
      };
      json.begin_object().field("name", any.name).field("title", any.title).field("unit", any.unit);
      value("first_value", metric.a);
      value("second_value", metric.b);
      json.field("change_ratio", metric.change);
      json.field("more_is_better", any.more_is_better).end_object();
    }
    json.end_array();
    write_nodes(json, "slower", comparison.slower);
    write_nodes(json, "faster", comparison.faster);
    json.field("matched", comparison.matched).field("only_first", comparison.only_a);
    json.field("only_second", comparison.only_b).key("path_by_cause").begin_array();
    for (std::size_t i = 0; i < result::kPathCauses; ++i) {
      json.begin_object().field("cause", name(static_cast<result::PathCause>(i)));
      json.nanoseconds("first", comparison.path_a[i]).nanoseconds("second", comparison.path_b[i]);
      json.end_object();
    }
    json.end_array();
    for (const auto& [key, facts] : {std::pair{"first_manifest", &comparison.facts_a},
                                     std::pair{"second_manifest", &comparison.facts_b}}) {
      json.key(key).begin_object();
      for (const auto& [fact, value] : *facts) json.field(fact, value);
      json.end_object();
    }
    json.end_object();
  });
}

}  // namespace orrery::present
