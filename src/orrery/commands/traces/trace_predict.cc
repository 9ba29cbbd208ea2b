// SPDX-License-Identifier: Apache-2.0
//
// orrery trace predict: predicts a recorded step from typical operator times.
#include <memory>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/progress.h"
#include "orrery/present/traces/predict_answer.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/recordings/step_prediction.h"

namespace orrery::commands {

namespace {

struct PointPredictionOptions {
  std::vector<std::string> paths;
  study::StepPredictionQuestion question;

  static constexpr auto fields =
      std::tuple{QuestionField{"paths", &PointPredictionOptions::paths, "TRACES", "", kAnswer,
                               "other.json.gz", "Recorded traces, of one rank or several"},
                 QuestionStruct{"question", &PointPredictionOptions::question}};
};

int predict_step(PointPredictionOptions& options, Context& context) {
  study::StepPredictionQuestion& question = options.question;
  auto& traces = question.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return context.fail(
        {Errc::usage, "TRACES", "nothing to predict", "orrery trace predict TRACE ..."});
  ShownWatch watch(context);
  const auto prediction = study::predict_step(question, watch);
  watch.phase_done();
  if (!prediction) return context.fail(prediction.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_prediction(answer, *prediction); });
}

}  // namespace

Action add_trace_predict(CommandOptions& command, Context& context) {
  describe(
      command,
      "Also prints the error of the prediction. Host times are the typical times of\n"
      "operators around launches (T1 to T5 of Lin et al., from other ranks or other\n"
      "recordings). Kernel times are recorded, or predicted by models. Waits are\n"
      "simulated, also between ranks.\n"
      "\n"
      "Examples:\n"
      "  orrery trace predict 'trace/rank*.json.gz'\n"
      "  orrery trace predict 'trace/rank*.json.gz' --overheads other.json.gz --device h100-sxm\n");
  const auto options = std::make_shared<PointPredictionOptions>();
  add_fields(command, *options);
  command.field("--own").excludes = "--overheads";
  context.add_options(command);
  return [options, &context] { return predict_step(*options, context); };
}

}  // namespace orrery::commands
