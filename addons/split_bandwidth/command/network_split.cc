// SPDX-License-Identifier: Apache-2.0
//
// orrery network split: splits the bandwidth of a network among its dimensions for a job.
#include <memory>
#include <utility>

#include "addons/split_bandwidth/command/rows.h"
#include "addons/split_bandwidth/split_arguments.h"
#include "addons/split_bandwidth/text/split_bandwidth_answer.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"

namespace orrery::commands {

namespace {

struct SplitOptions {
  split_bandwidth::SplitQuestion asked;
  std::string cluster;
  split_bandwidth::SplitArguments words;

  static constexpr auto fields = std::tuple{
      UndeclaredField{&SplitOptions::asked}, QuestionGroup{"Inputs"},
      QuestionField{"cluster", &SplitOptions::cluster, "--cluster", "FILE", kAnswer, "a100-40gb:16",
                    "The cluster: a file with dimensions, or NAME:DEVICES ('h100-sxm:64')"}
          .required(),
      QuestionStruct{"words", &SplitOptions::words}};
};

int split_bandwidth(SplitOptions& options, Context& context) {
  options.asked.question.cluster = options.cluster;
  if (!options.asked.question.job.given())
    return context.fail({Errc::usage, "JOB", "is missing",
                         "a specification (job.yaml), or --model with --tp, --dp …"});
  if (auto read = split_bandwidth::read_options(options.words, options.asked); !read)
    return context.fail(read.error());
  Findings findings;
  ShownWatch watch(context);
  const auto result = split_bandwidth::split_for_job(options.asked, watch, findings);
  watch.phase_done();
  if (!result) return context.fail(result.error(), findings);
  const std::string path = std::exchange(context.output, {});
  if (!path.empty())
    if (auto done = write_output(path, result->file, context.force); !done)
      return context.fail(done.error(), findings);
  if (path == "-") return kOk;
  return context.deliver([&](report::Answer& answer) {
    present::state_split_bandwidth(answer, *result, path, findings);
  });
}

}  // namespace

Action add_network_split(CommandOptions& command, Context& context) {
  describe(command,
           "Finds the split with the shortest communication, or the best of time and cost,\n"
           "with proof. Compares it with the unchanged cluster and with equal dimensions,\n"
           "each by formula and by simulation.\n"
           "\n"
           "Examples:\n"
           "  orrery network split job.yaml --cluster cluster.yaml --total '600 GB/s'\n"
           "  orrery network split job.yaml --cluster cluster.yaml --objective time-cost \\\n"
           "    --cost 2,2,57.4 --max-bandwidth '2=50 GB/s' -o better.yaml\n");
  const auto options = std::make_shared<SplitOptions>();
  add_spec_options(command, options->asked.question.job, true);
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return split_bandwidth(*options, context); };
}

}  // namespace orrery::commands
