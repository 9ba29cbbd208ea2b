// SPDX-License-Identifier: Apache-2.0
//
// orrery trace scale-down: makes a smaller job that represents a large one.
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/present/whatif/scale_down_answer.h"
#include "orrery/study/jobs/workload_to_chakra.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/scale_down/scale_down.h"

namespace orrery::commands {

namespace {

struct ScaleDownOptions {
  std::vector<std::string> paths;
  study::ScaleDownQuestion question;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &ScaleDownOptions::paths, "TRACES", "", kAnswer, "other.json.gz",
                    "Recorded traces of one rank or several, or the prefix of Chakra traces"},
      QuestionStruct{"question", &ScaleDownOptions::question}};
};

Result<void> check_inputs(ScaleDownOptions& options) {
  study::ScaleDownQuestion& question = options.question;
  take_paths(options.paths, question.base);
  if (question.base.workload.empty() && question.base.recorded.traces.empty() &&
      !question.base.job.given())
    return fail(Errc::usage, "TRACES", "nothing to scale down",
                "orrery trace scale-down TRACE... --keep-ranks 4 --keep-layers 8");
  return {};
}

/// Writes the traces, and next to them the cluster on which they were simulated.
Result<void> write_result(const study::ScaleDown& result, const std::string& prefix,
                          Context& context) {
  const platform::Platform& platform = result.scaled_cluster->platform;
  const bool cluster = !result.replayed && platform.fabric == nullptr;
  const std::string cluster_file = prefix + ".yaml";
  if (cluster)
    if (auto absent = check_absent(cluster_file, context.force); !absent) return absent;
  if (auto written = study::write_chakra_workload(*result.scaled_workload, prefix, context.force);
      !written)
    return tl::unexpected(written.error());
  if (!cluster) return {};
  return write_output(cluster_file, platform::resolved_cluster(platform), context.force);
}

int scale_down(ScaleDownOptions& options, Context& context) {
  if (auto fine = check_inputs(options); !fine) return context.fail(fine.error());
  const std::string prefix = std::exchange(context.output, "");
  ShownWatch watch(context);
  const auto result = study::scale_down(options.question, watch);
  watch.phase_done();
  if (!result) return context.fail(result.error());
  if (!prefix.empty())
    if (auto done = write_result(*result, prefix, context); !done)
      return context.fail(done.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_scale_down(answer, *result); });
}

}  // namespace

Action add_trace_scale_down(CommandOptions& command, Context& context) {
  describe(
      command,
      "Reduces the ranks, layers, microbatches or samples of recorded traces, Chakra\n"
      "traces, or a model and a plan. Simulates both jobs, and shows what is the same\n"
      "in both, and what the smaller one predicts for the larger.\n"
      "\n"
      "Examples:\n"
      "  orrery trace scale-down big/w --cluster h100-sxm:64 --keep-ranks dp=2,pp=2 -o small/w\n"
      "  orrery trace scale-down 'trace/rank*.json.gz' --keep-ranks 4\n");
  return action_with_options(command, context, scale_down);
}

}  // namespace orrery::commands
