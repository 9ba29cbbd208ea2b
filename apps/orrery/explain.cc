// SPDX-License-Identifier: Apache-2.0
//
// orrery explain: what a figure means, how it was computed, and from what.
#include "orrery/analysis/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "arguments.h"
#include "orrery/analysis/metrics.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"
#include "orrery/report/envelope.h"
#include "orrery/result/run_file.h"
#include "run_summary.h"

namespace orrery::app {

using analysis::Explanation;
using report::JsonWriter;

namespace {

/// What was typed: a run file or none, and the words after it.
struct Question {
  std::string file;
  std::string what;
};

bool is_metric(const std::string& word) {
  const auto names = analysis::metric_names();
  return std::find(names.begin(), names.end(), word) != names.end();
}

/// The first word is a run file if it is one: a metric's name is not, nor is a word alone that
/// names no file. "node" and "collective" may go on in further words, quoted or not.
Question parse_question(const std::vector<std::string>& words) {
  Question question;
  std::size_t next = 0;
  if (!words.empty() && !is_metric(words[0])) {
    std::error_code ignored;
    const bool named = words[0].ends_with(".orrery") || words[0].find('/') != std::string::npos;
    if (named || std::filesystem::exists(words[0], ignored)) {
      question.file = words[0];
      next = 1;
    }
  }
  for (; next < words.size(); ++next)
    question.what += (question.what.empty() ? "" : " ") + words[next];
  return question;
}

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

std::string explanation_text(const Explanation& explanation, report::Style style) {
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

std::string explanation_json(const Explanation& explanation, const Findings& findings) {
  std::string text;
  JsonWriter json(text);
  report::begin_envelope(json, "explain");
  json.begin_object().field("title", explanation.title).key("paragraphs").begin_array();
  for (const std::string& paragraph : explanation.paragraphs) json.value(paragraph);
  json.end_array().key("figures").begin_array();
  for (const auto& [label, figure] : explanation.figures) {
    json.begin_object().field("label", label).field("text", figure).end_object();
  }
  json.end_array().end_object();
  report::end_envelope(json, findings);
  return text + '\n';
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

/// With a run, the values; without, what they mean.
std::string list_text(const std::vector<Entry>& entries, bool values, report::Style style) {
  std::size_t width = 14;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  report::Sheet sheet(style, width);
  for (const Entry& entry : entries)
    sheet.add(entry.name, values ? printable(entry.text) : entry.meaning);
  return sheet.text() +
         (values ? "\nWhat one of them means and is computed from, or a node, or a collective:\n"
                   "  orrery explain RUN.orrery exposed_comm\n"
                   "  orrery explain RUN.orrery \"rank 3 node 17\"\n"
                   "  orrery explain RUN.orrery \"collective 4\"\n"
                 : "\nHow one of them is computed: 'orrery explain METRIC'; with the figures of a "
                   "run:\n'orrery explain RUN.orrery METRIC'\n");
}

int list(const result::Run* run, const Session& session) {
  const std::vector<Entry> entries = entries_of(run);
  return session.deliver(list_text(entries, run != nullptr, session.out_style()), [&] {
    std::string out;
    JsonWriter json(out);
    report::begin_envelope(json, "explain");
    json.begin_object().key("metrics").begin_array();
    for (const Entry& entry : entries) {
      json.begin_object().field("name", entry.name).field("meaning", entry.meaning);
      if (!entry.text.empty()) json.field("text", entry.text);
      json.end_object();
    }
    json.end_array().end_object();
    report::end_envelope(json, run != nullptr ? run->findings : Findings{});
    return out + '\n';
  });
}

/// Without a run only metrics can be explained; a node's or a collective's name lacks the run.
Error explain_failure(Error error, const std::string& what) {
  const bool of_a_run =
      what.starts_with("node ") || what.starts_with("rank ") || what.starts_with("collective ");
  if (of_a_run) {
    error.where.clear();
    error.what = fmt::format("'{}' is a question about a run, and none is given", what);
    error.hint = fmt::format("orrery explain RUN.orrery \"{}\"", what);
  }
  return error;
}

int explain(const std::vector<std::string>& words, Session& session) {
  const Question question = parse_question(words);
  if (question.file.empty()) {
    if (question.what.empty()) return list(nullptr, session);
    const auto explanation = analysis::explain_metric(question.what);
    if (!explanation) return session.fail(explain_failure(explanation.error(), question.what));
    return session.deliver(explanation_text(*explanation, session.out_style()),
                           [&] { return explanation_json(*explanation, {}); });
  }
  const auto run = result::read_run(question.file);
  if (!run) return session.fail(run.error());
  if (question.what.empty()) return list(&*run, session);
  const auto explanation = analysis::explain(*run, question.what);
  if (!explanation) return session.fail(explanation.error());
  return session.deliver(explanation_text(*explanation, session.out_style()),
                         [&] { return explanation_json(*explanation, run->findings); });
}

}  // namespace

void add_explain(CLI::App& table, Session& session) {
  CLI::App* command =
      table.add_subcommand("explain", "Say what a figure means and where it is from");
  command->description(
      "Say what a figure means, how it was computed, and from what.\n"
      "Without a run file: what the metrics mean. Without a question: the metrics.\n\n"
      "Examples:\n"
      "  orrery explain step.orrery exposed_comm\n"
      "  orrery explain step.orrery \"rank 3 node 17\"\n\n"
      "Also: a metric alone, \"node 17\" (at the slowest rank), \"collective 4\", a node's "
      "name.\n");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("WORDS", *words, "[RUN.orrery] [METRIC | NODE | COLLECTIVE]")->type_name("");
  session.add_options(*command, true);
  command->callback([words, &session] {
    session.command = "explain";
    session.action = [words, &session] { return explain(*words, session); };
  });
}

}  // namespace orrery::app
