// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/explain_answer.h"

#include <algorithm>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/core/text/text.h"

namespace orrery::present {

using analysis::Explanation;

namespace {

/// The first sentence of a metric's explanation.
std::string meaning(const analysis::Metric& metric) {
  const auto explanation = analysis::explain_metric(metric.name);
  if (!explanation) return "";
  if (explanation->paragraphs.empty()) return explanation->title;
  const std::string& text = explanation->paragraphs.front();
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

/// `text` broken at spaces to lines of the page's width.
std::string wrapped(std::string_view text) {
  report::Sheet sheet({}, 0);
  sheet.add("", text);
  // A sheet indents each line by a space.
  std::string lines = "\n" + sheet.text();
  for (std::size_t at = lines.find("\n "); at != std::string::npos; at = lines.find("\n ", at))
    lines.erase(++at, 1);
  return lines.substr(1);
}

/// All metrics; without a run only their names.
std::vector<analysis::Metric> all_metrics(const result::Run* run) {
  if (run != nullptr) return analysis::metrics(*run);
  std::vector<analysis::Metric> metrics;
  for (const std::string_view name : analysis::metric_names())
    metrics.push_back({.name = std::string(name)});
  return metrics;
}

}  // namespace

void state_explanation(report::Answer& answer, const Explanation& explanation,
                       const Findings& findings) {
  answer.title(printable(explanation.title)).field("title", explanation.title);
  for (const std::string& paragraph : explanation.paragraphs)
    answer.block(wrapped(printable(paragraph)));
  answer.list("paragraphs", explanation.paragraphs);
  using LabeledFigure = std::pair<std::string, std::string>;
  std::size_t width = 14;
  for (const auto& [label, figure] : explanation.figures)
    width = std::max(width, std::min<std::size_t>(report::columns(printable(label)), 30));
  answer.label_width(width);
  for (const auto& [label, figure] : explanation.figures)
    answer.line(report::fit(printable(label), width), printable(figure));
  report::Columns<LabeledFigure> columns;
  columns.field("label", &LabeledFigure::first).field("text", &LabeledFigure::second);
  answer.table("figures", explanation.figures, columns);
  if (answer.is_json()) answer.findings(findings);
}

void state_metrics(report::Answer& answer, const result::Run* run) {
  const std::vector<analysis::Metric> metrics = all_metrics(run);
  std::size_t width = 14;
  for (const analysis::Metric& metric : metrics) width = std::max(width, metric.name.size());
  answer.label_width(width);
  for (const analysis::Metric& metric : metrics)
    answer.line(metric.name, run != nullptr ? printable(metric.text) : meaning(metric));
  report::Columns<analysis::Metric> columns;
  columns.field("name", &analysis::Metric::name).field("about", meaning);
  if (run != nullptr) columns.field("text", &analysis::Metric::text);
  answer.table("metrics", metrics, columns);
  answer.block(run != nullptr ? "To explain a metric, a node or a collective:\n"
                                "  orrery explain RUN.orrery exposed_comm\n"
                                "  orrery explain RUN.orrery \"rank 3 node 17\"\n"
                                "  orrery explain RUN.orrery \"collective 4\"\n"
                              : "How a metric is computed: 'orrery explain METRIC'; with the "
                                "figures of a run:\n'orrery explain RUN.orrery METRIC'\n");
  if (answer.is_json() && run != nullptr) answer.findings(run->findings);
}

}  // namespace orrery::present
