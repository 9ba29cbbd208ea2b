// SPDX-License-Identifier: Apache-2.0
//
// orrery predict: a recorded step told from what operators usually take.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "orrery/present/traces/predict_text.h"
#include "orrery/study/recordings/step_prediction.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct PointPredictionOptions {
  std::vector<std::string> paths;
  study::StepPredictionQuestion question;

  static constexpr auto fields =
      std::tuple{QuestionField{"paths", &PointPredictionOptions::paths, "TRACES", "", kAnswer,
                               "other.json.gz", "Recorded traces, of one rank or several"},
                 QuestionStruct{"question", &PointPredictionOptions::question}};
};

int predict_step(PointPredictionOptions& options, Session& session) {
  study::StepPredictionQuestion& question = options.question;
  auto& traces = question.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return session.fail({Errc::usage, "TRACES", "nothing to predict", "orrery predict TRACE ..."});
  ShownWatch watch(session);
  const auto predicted = study::predict_step(question, watch);
  watch.phase_done();
  if (!predicted) return session.fail(predicted.error());
  return session.deliver(present::predict_text(*predicted, session.out_style()),
                         [&] { return present::predict_json(*predicted); });
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
  const auto options = std::make_shared<PointPredictionOptions>();
  add_fields(command, *options);
  command.get_option("--own")->excludes("--overheads");
  session.add_options(command);
  return [options, &session] { return predict_step(*options, session); };
}

}  // namespace orrery::app
