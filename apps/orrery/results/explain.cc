// SPDX-License-Identifier: Apache-2.0
//
// orrery explain: what a figure means, how it was computed, and from what.
#include "orrery/analysis/explanation/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "orrery/analysis/metrics/metrics.h"
#include "orrery/core/text/suggest.h"
#include "orrery/present/results/explain_text.h"
#include "orrery/result/run_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct ExplainOptions {
  std::vector<std::string> words;

  static constexpr auto fields =
      std::tuple{QuestionField{"words", &ExplainOptions::words, "WORDS", "", kAnswer,
                               "exposed_comm", "[RUN.orrery] [METRIC | NODE | COLLECTIVE]"}};
};

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

int list(const result::Run* run, const Session& session) {
  return session.deliver(present::metrics_text(run, session.out_style()),
                         [&] { return present::metrics_json(run); });
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
    return session.deliver(present::explain_text(*explanation, session.out_style()),
                           [&] { return present::explain_json(*explanation, {}); });
  }
  const auto run = result::read_run(question.file);
  if (!run) return session.fail(run.error());
  if (question.what.empty()) return list(&*run, session);
  const auto explanation = analysis::explain(*run, question.what);
  if (!explanation) return session.fail(explanation.error());
  return session.deliver(present::explain_text(*explanation, session.out_style()),
                         [&] { return present::explain_json(*explanation, run->findings); });
}

}  // namespace

std::vector<std::string_view> metric_words() { return analysis::metric_names(); }

Action add_explain(CLI::App& command, Session& session) {
  describe(command,
           "Without a run file: the meaning of metrics. Without a question: the list of\n"
           "metrics.\n"
           "\n"
           "Examples:\n"
           "  orrery explain step.orrery exposed_comm\n"
           "  orrery explain step.orrery \"rank 3 node 17\"\n"
           "\n"
           "Also: a metric alone, \"node 17\" (at the slowest rank), \"collective 4\", a\n"
           "node's name.\n");
  const auto options = std::make_shared<ExplainOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return explain(options->words, session); };
}

}  // namespace orrery::app
