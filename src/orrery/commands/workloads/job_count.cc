// SPDX-License-Identifier: Apache-2.0
//
// orrery job count: FLOPs, bytes, weights and messages of one training step, without running it.
#include <memory>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/hlo/lower/program_count.h"
#include "orrery/intake/formats/aicb_workload.h"
#include "orrery/present/workloads/aicb_count_answer.h"
#include "orrery/present/workloads/count_answer.h"
#include "orrery/present/workloads/program_count_answer.h"
#include "orrery/study/questions/inputs/compiled_program.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct CountOptions {
  study::JobDescription job;
  std::string cluster;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields =
      std::tuple{UndeclaredField{&CountOptions::job},
                 QuestionField{"cluster", &CountOptions::cluster, "--cluster", "FILE", kAnswer,
                               "a100-40gb:8", "The cluster that runs the job"}};
};

int count_aicb(const std::string& file, const CountOptions& options, Context& context) {
  Findings findings;
  std::uint32_t devices = 0;
  if (!options.cluster.empty()) {
    const auto platform = study::read_platform({.cluster = options.cluster}, findings);
    if (!platform) return context.fail(platform.error(), findings);
    devices = static_cast<std::uint32_t>(platform->npu_count());
  }
  const auto counted = intake::count_aicb(file, devices, findings);
  if (!counted) return context.fail(counted.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_aicb_count(answer, file, *counted, findings); });
}

int count_program(const std::string& file, const CountOptions& options, Context& context) {
  Findings findings;
  const auto program = study::read_program_file(file, findings);
  if (!program) return context.fail(program.error(), findings);
  if (!options.cluster.empty()) {
    const auto platform = study::read_platform({.cluster = options.cluster}, findings);
    if (!platform) return context.fail(platform.error(), findings);
    if (auto fine = study::check_program_size(*program, file, platform->npu_count()); !fine)
      return context.fail(fine.error(), findings);
  }
  const auto counted = hlo::count_program(*program, file, findings);
  if (!counted) return context.fail(counted.error(), findings);
  return context.deliver([&](report::Answer& answer) {
    present::state_program_count(answer, file, *program, *counted, findings);
  });
}

int count_job(const CountOptions& options, Context& context) {
  if (const std::string file = aicb_file(options.job); !file.empty())
    return count_aicb(file, options, context);
  if (const std::string file = program_file(options.job); !file.empty())
    return count_program(file, options, context);
  Findings findings;
  const auto job = study::assemble_on(options.job, options.cluster, findings);
  if (!job) return context.fail(job.error(), findings);
  const auto counted = workload::count(job->program);
  if (!counted) return context.fail(counted.error(), findings);
  return context.deliver([&](report::Answer& answer) {
    present::state_count(answer, job->program, *counted, job->platform, findings);
  });
}

}  // namespace

Action add_job_count(CommandOptions& command, Context& context) {
  describe(command,
           "Counts exactly, without a simulation: FLOPs (forward, backward, recomputed,\n"
           "optimizer), weights, traffic of device memory, and messages by collective and\n"
           "axis; with --cluster also by network dimension.\n"
           "\n"
           "Examples:\n"
           "  orrery job count --model gpt3-175b --tp 8 --pp 8 --dp 16 --global-batch 1536\n"
           "  orrery job count job.yaml --cluster cluster.yaml --json\n"
           "  orrery job count program.mlir\n");
  const auto options = std::make_shared<CountOptions>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return count_job(*options, context); };
}

}  // namespace orrery::commands
