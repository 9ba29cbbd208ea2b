// SPDX-License-Identifier: Apache-2.0
//
// orrery predict: a recorded step told from what operators usually take.
#include "orrery/study/predict.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "orrery/present/predict_text.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct PredictOptions {
  std::vector<std::string> paths;
  study::PredictQuestion question;

  static constexpr auto fields =
      std::tuple{QuestionField{"paths", &PredictOptions::paths, "TRACES", "", kAnswer,
                               "other.json.gz", "Recorded traces, of one rank or several"},
                 QuestionPart{"question", &PredictOptions::question}};
};

int predict(PredictOptions& options, Session& session) {
  study::PredictQuestion& question = options.question;
  auto& traces = question.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return session.fail({Errc::usage, "TRACES", "nothing to predict", "orrery predict TRACE ..."});
  ShownWatch watch(session);
  const auto told = study::predict(question, watch);
  watch.through();
  if (!told) return session.fail(told.error());
  return session.deliver(present::predict_text(*told, session.out_style()),
                         [&] { return present::predict_json(*told); });
}

}  // namespace

Action add_predict(CLI::App& command, Session& session) {
  describe(command,
           "Also prints the error of the prediction. Hosts spend the usual times of their\n"
           "operators around launches (Lin et al.'s T1 to T5, of other ranks or other\n"
           "recordings); kernels last as recorded or as models predict; waits are simulated,\n"
           "between ranks too.\n"
           "\n"
           "Examples:\n"
           "  orrery predict 'trace/rank*.json.gz'\n"
           "  orrery predict 'trace/rank*.json.gz' --overheads other.json.gz --device h100-sxm\n");
  const auto options = std::make_shared<PredictOptions>();
  add_fields(command, *options);
  command.get_option("--own")->excludes("--overheads");
  session.add_options(command);
  return [options, &session] { return predict(*options, session); };
}

}  // namespace orrery::app
