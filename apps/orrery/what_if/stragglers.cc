// SPDX-License-Identifier: Apache-2.0
//
// orrery stragglers: what made others wait.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/present/whatif/stragglers_text.h"
#include "orrery/study/stragglers/straggler_search.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct StragglersOptions {
  std::vector<std::string> paths;
  study::StragglersQuestion question;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &StragglersOptions::paths, "TRACES", "", kAnswer, "other.json.gz",
                    "Recorded traces of several ranks, or the prefix of Chakra traces with times"},
      QuestionStruct{"question", &StragglersOptions::question}};
};

int stragglers(StragglersOptions& options, Session& session) {
  study::Question& base = options.question.base;
  take_paths(options.paths, base);
  if (base.workload.empty() && base.recorded.traces.empty() && !base.job.given())
    return session.fail(
        {Errc::usage, "TRACES", "nothing to look at", "orrery stragglers TRACE ..."});
  ShownWatch watch(session);
  const auto answer = study::stragglers(options.question, watch);
  watch.phase_done();
  if (!answer) return session.fail(answer.error());
  return session.deliver(present::stragglers_text(*answer, session.out_style()),
                         [&] { return present::stragglers_json(*answer); });
}

}  // namespace

Action add_stragglers(CLI::App& command, Session& session) {
  describe(command,
           "Also shows what they cost. Everything is compared with its peers (ranks with the\n"
           "same work, groups of the same size), corrected alone, and the step is simulated\n"
           "again. How often the worst was the slowest shows whether that is chance.\n"
           "\n"
           "Examples:\n"
           "  orrery stragglers 'trace/rank*.json.gz'\n"
           "  orrery stragglers --model llama-3.1-8b --tp 4 --cluster cluster.yaml\n");
  const auto options = std::make_shared<StragglersOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return stragglers(*options, session); };
}

}  // namespace orrery::app
