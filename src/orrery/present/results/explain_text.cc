// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/explain_text.h"

#include <algorithm>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/core/text/text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using analysis::Explanation;
using report::JsonWriter;

namespace {

std::string first_sentence(const Explanation& explanation) {
  if (explanation.paragraphs.empty()) return explanation.title;
  const std::string& text = explanation.paragraphs.front();
  for (std::size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1)) {
    return text.substr(0, at + 1);
  }
  return text;
}

/// `text` broken at spaces to lines of the page's width.
std::string wrapped(std::string_view text) {
  report::Sheet sheet({}, 0);
  sheet.add("", text);
  std::string lines;
  // A sheet indents by its label's width and a space; a paragraph stands at the margin.
  for (std::string_view rest = sheet.text(); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.starts_with(' ')) line.remove_prefix(1);
    lines += std::string(line) + '\n';
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return lines;
}

/// One metric in the list of all.
struct Entry {
  std::string name, text, meaning;
};

/// All metrics, with their values where there is a run.
std::vector<Entry> entries_of(const result::Run* run) {
  std::vector<Entry> entries;
  const auto meaning = [](std::string_view metric) {
    const auto explanation = analysis::explain_metric(metric);
    return explanation ? first_sentence(*explanation) : std::string();
  };
  if (run != nullptr) {
    for (const analysis::Metric& metric : analysis::metrics(*run))
      entries.push_back({metric.name, metric.text, meaning(metric.name)});
  } else {
    for (const std::string_view metric : analysis::metric_names())
      entries.push_back({std::string(metric), "", meaning(metric)});
  }
  return entries;
}

}  // namespace

std::string explain_text(const Explanation& explanation, report::Style style) {
  std::string text = style.strong(printable(explanation.title)) + "\n";
  for (const std::string& paragraph : explanation.paragraphs)
    text += '\n' + wrapped(printable(paragraph));
  if (explanation.figures.empty()) return text;
  std::size_t width = 14;
  for (const auto& [label, figure] : explanation.figures)
    width = std::max(width, std::min<std::size_t>(report::columns(printable(label)), 30));
  report::Sheet sheet(style, width);
  for (const auto& [label, figure] : explanation.figures)
    sheet.add(report::fit(printable(label), width), printable(figure));
  return text + '\n' + sheet.text();
}

std::string explain_json(const Explanation& explanation, const Findings& findings) {
  return report::envelope("explain", findings, [&](report::JsonWriter& json) {
    json.begin_object().field("title", explanation.title).key("paragraphs").begin_array();
    for (const std::string& paragraph : explanation.paragraphs) json.value(paragraph);
    json.end_array().key("figures").begin_array();
    for (const auto& [label, figure] : explanation.figures) {
      json.begin_object().field("label", label).field("text", figure).end_object();
    }
    json.end_array().end_object();
  });
}

std::string metrics_text(const result::Run* run, report::Style style) {
  const std::vector<Entry> entries = entries_of(run);
  std::size_t width = 14;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  report::Sheet sheet(style, width);
  for (const Entry& entry : entries)
    sheet.add(entry.name, run != nullptr ? printable(entry.text) : entry.meaning);
  return sheet.text() +
         (run != nullptr
              ? "\nWhat one of them means and is computed from, or a node, or a collective:\n"
                "  orrery explain RUN.orrery exposed_comm\n"
                "  orrery explain RUN.orrery \"rank 3 node 17\"\n"
                "  orrery explain RUN.orrery \"collective 4\"\n"
              : "\nHow one of them is computed: 'orrery explain METRIC'; with the figures of a "
                "run:\n'orrery explain RUN.orrery METRIC'\n");
}

std::string metrics_json(const result::Run* run) {
  const Findings none;
  return report::envelope("explain", run != nullptr ? run->findings : none, [&](JsonWriter& json) {
    json.begin_object().key("metrics").begin_array();
    for (const Entry& entry : entries_of(run)) {
      json.begin_object().field("name", entry.name).field("about", entry.meaning);
      if (!entry.text.empty()) json.field("text", entry.text);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
