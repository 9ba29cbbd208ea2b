// SPDX-License-Identifier: Apache-2.0
//
// orrery predict: a recorded step told from what operators usually take.
#include "orrery/study/predict.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "inputs.h"
#include "orrery/present/predict_text.h"
#include "progress.h"

namespace orrery::app {

namespace {

struct PredictOptions {
  study::PredictQuestion question;
  std::vector<std::string> paths;
  bool own = false;
};

int predict(PredictOptions& options, Session& session) {
  study::PredictQuestion& question = options.question;
  auto& traces = question.recorded.traces;
  traces.insert(traces.end(), options.paths.begin(), options.paths.end());
  if (traces.empty())
    return session.fail({Errc::usage, "TRACES", "nothing to predict", "orrery predict TRACE ..."});
  if (options.own) question.from = study::HostFrom::own;
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
  study::PredictQuestion& question = options->question;
  command.add_option("TRACES", options->paths, "Recorded traces, of one rank or several")
      ->type_name("");
  command
      .add_option("--overheads", question.overheads,
                  "Take hosts' times of these recordings instead of the other ranks'")
      ->type_name("FILES");
  command
      .add_flag("--own", options->own,
                "Take each rank's own: how far means are from what they are the means of")
      ->excludes("--overheads");
  command.add_flag("--models", question.models,
                   "Kernels take what models say of the device that was recorded on");
  command
      .add_option("--device", question.device,
                  "... of this device, a name of the catalogue (implies --models)")
      ->type_name("NAME");
  command.add_flag("--unprofiled", question.unprofiled,
                   "Without the time that the profiler itself took");
  add_recorded_options(command, question.recorded);
  session.add_options(command);
  return [options, &session] { return predict(*options, session); };
}

}  // namespace orrery::app
