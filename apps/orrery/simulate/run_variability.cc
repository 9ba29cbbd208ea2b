// SPDX-License-Identifier: Apache-2.0
#include "simulate/run_variability.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "orrery/present/simulate/run_variability_text.h"
#include "output_file.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

void add_variability_options(CLI::App& command, VariabilityOptions& options) {
  add_fields(command, options);
}

Result<void> settle_variability_options(const CLI::App& command, VariabilityOptions& options) {
  const auto typed = [&](const char* name) { return command.get_option(name)->count() > 0; };
  if (!options.given()) {
    for (const char* name :
         {"--draws", "--seed", "--same-fleet", "--simulate-draws", "--verify-draws", "--plot"})
      if (typed(name))
        return fail(Errc::usage, name, "is only for --variability",
                    "orrery run ... --variability training-64k");
    return {};
  }
  for (const char* name : {"--effects", "--verify-fold", "--open", "--all", "--spans"})
    if (command.get_option_no_throw(name) != nullptr && typed(name))
      return fail(Errc::usage, name, "is of one run, and --variability is of many", "leave it out");
  if (options.question.simulate && typed("--verify-draws"))
    return fail(Errc::usage, "--verify-draws", "every draw is simulated already", "leave it out");
  study::VariabilityQuestion& question = options.question;
  if (!typed("--verify-draws") && question.draws > 0)
    question.verify = std::min(question.verify, question.draws);
  return {};
}

int run_variability(const InputOptions& inputs, VariabilityOptions& options, Session& session) {
  if (session.output.ends_with(".orrery") || session.output.ends_with(".html"))
    return session.fail({Errc::usage, "--output",
                         "a run file or a web page is of one run, and --variability is of many",
                         "-o FILE.json keeps the figures"});
  options.question.base = inputs;
  options.question.base.record = false;
  options.question.base.work.brief_names = true;
  ShownWatch watch(session);
  const auto answer = study::sample_steps(options.question, watch);
  watch.phase_done();
  if (!answer) return session.fail(answer.error());
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::variability_svg(*answer), session.force);
        !done)
      return session.fail(done.error());
  return session.deliver(present::variability_text(*answer, session.out_style()),
                         [&] { return present::variability_json(*answer); });
}

}  // namespace orrery::app
