// SPDX-License-Identifier: Apache-2.0
//
// orrery trace synthesize: samples Chakra traces of a job from learned traces.
#include <memory>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/config/document.h"
#include "orrery/generative/learning/synthesize.h"
#include "orrery/present/workloads/learned_answer.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/trace/io/trace_prefix.h"

namespace orrery::commands {

namespace {

struct TraceSynthesisOptions {
  study::JobDescription job;
  std::string learned;
  std::uint64_t seed = 1;

  static constexpr std::string_view group = "Synthesis";
  static constexpr auto fields =
      std::tuple{UndeclaredField{&TraceSynthesisOptions::job},
                 QuestionField{"learned", &TraceSynthesisOptions::learned, "--learned", "FILE",
                               kAnswer, "dense.learned", "Learned traces, of 'orrery trace learn'"},
                 QuestionField{"seed", &TraceSynthesisOptions::seed, "--seed", "N", kAnswer, "2",
                               "Seed of the sampling; by default 1"}};
};

int synthesize_traces(const TraceSynthesisOptions& options, Context& context) {
  if (context.output.empty())
    return context.fail({Errc::usage, "--output", "is missing", "-o PREFIX for PREFIX.0.et ..."});
  if (options.learned.empty())
    return context.fail({Errc::usage, "--learned", "is missing",
                         "--learned FILE, which 'orrery trace learn' writes"});
  const std::string prefix = std::exchange(context.output, "");
  if (auto is_free = trace::check_prefix_unused(prefix, context.force); !is_free)
    return context.fail(is_free.error());
  const auto text = config::read_text(options.learned, generative::kMaxLearnedBytes);
  if (!text) return context.fail(text.error());
  const auto learned = generative::parse_learned(*text, options.learned);
  if (!learned) return context.fail(learned.error());
  Findings findings;
  const auto job = study::assemble(options.job, {}, findings);
  if (!job) return context.fail(job.error(), findings);
  const auto made = generative::synthesize(*learned, *job, {.seed = options.seed});
  if (!made) return context.fail(made.error(), findings);
  Progress progress(context);
  study::ChakraWriteOptions write;
  write.prefix = prefix;
  write.overwrite = context.force;
  write.progress = [&](std::uint64_t ranks) {
    progress.writing_ranks(ranks, made->program.mesh.world());
  };
  const auto report = study::write_chakra(made->program, write);
  progress.clear();
  if (!report) return context.fail(report.error(), findings);
  return context.deliver([&](report::Answer& answer) {
    present::state_synthesized(answer, *made, *report, prefix, options.seed, findings);
  });
}

}  // namespace

Action add_trace_synthesize(CommandOptions& command, Context& context) {
  describe(command,
           "Samples the work of every stage, and writes one Chakra trace per rank. A stage\n"
           "whose nodes, FLOPs, bytes or communication differ by more than 10 % from 'orrery\n"
           "job count' is sampled again, six times in total; then the command fails. Sizes\n"
           "outside of the corpus are listed; settings outside of it are refused.\n"
           "\n"
           "Examples:\n"
           "  orrery trace synthesize job.yaml --learned dense.learned -o synthetic/w\n"
           "  orrery trace synthesize job.yaml --learned dense.learned --tp 4 --seed 2 -o w\n");
  const auto options = std::make_shared<TraceSynthesisOptions>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return synthesize_traces(*options, context); };
}

}  // namespace orrery::commands
