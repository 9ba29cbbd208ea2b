// SPDX-License-Identifier: Apache-2.0
//
// orrery explain: prints the meaning of a figure, its formula and its source.
#include "orrery/analysis/explanation/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/present/results/explain_answer.h"
#include "orrery/result/run_file.h"

namespace orrery::commands {

namespace {

struct ExplainOptions {
  std::vector<std::string> words;

  static constexpr auto fields =
      std::tuple{QuestionField{"words", &ExplainOptions::words, "WORDS", "", kAnswer,
                               "exposed_comm", "[RUN.orrery] [METRIC | NODE | COLLECTIVE]"}};
};

/// The arguments: a run file or none, and the words after it.
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

int list(const result::Run* run, const Context& context) {
  return context.deliver([&](report::Answer& answer) { present::state_metrics(answer, run); });
}

/// Only metrics can be explained without a run; nodes and collectives need one.
Error explain_failure(Error error, const std::string& what) {
  const bool of_a_run =
      what.starts_with("node ") || what.starts_with("rank ") || what.starts_with("collective ");
  if (of_a_run) {
    error.where.clear();
    error.what = fmt::format("'{}' needs a run file, and none is given", what);
    error.hint = fmt::format("orrery explain RUN.orrery \"{}\"", what);
  }
  return error;
}

int explain(const std::vector<std::string>& words, Context& context) {
  const Question question = parse_question(words);
  if (question.file.empty()) {
    if (question.what.empty()) return list(nullptr, context);
    const auto explanation = analysis::explain_metric(question.what);
    if (!explanation) return context.fail(explain_failure(explanation.error(), question.what));
    return context.deliver(
        [&](report::Answer& answer) { present::state_explanation(answer, *explanation, {}); });
  }
  const auto run = result::read_run(question.file);
  if (!run) return context.fail(run.error());
  if (question.what.empty()) return list(&*run, context);
  const auto explanation = analysis::explain(*run, question.what);
  if (!explanation) return context.fail(explanation.error());
  return context.deliver([&](report::Answer& answer) {
    present::state_explanation(answer, *explanation, run->findings);
  });
}

}  // namespace

std::vector<std::string_view> metric_words() { return analysis::metric_names(); }

Action add_explain(CommandOptions& command, Context& context) {
  describe(command,
           "Without a run file, explains the meaning of a metric; without arguments, lists\n"
           "the metrics. Of a run it also explains \"node 17\" (of the slowest rank),\n"
           "\"collective 4\", or the name of a node.\n"
           "\n"
           "Examples:\n"
           "  orrery explain step.orrery exposed_comm\n"
           "  orrery explain step.orrery \"rank 3 node 17\"\n");
  const auto options = std::make_shared<ExplainOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return explain(options->words, context); };
}

}  // namespace orrery::commands
