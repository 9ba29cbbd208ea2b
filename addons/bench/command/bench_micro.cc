// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_micro.h"

#include <utility>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/text/bench_micro_answer.h"
#include "orrery/commands/output_file.h"

namespace orrery::commands {

Result<void> check_micro(const MicroOptions& options) {
  if (options.enabled) return {};
  for (const auto& [option, given] : {std::pair("--filter", !options.filter.empty()),
                                      std::pair("--kernels", !options.kernels.empty())})
    if (given)
      return fail(Errc::usage, option, "is only for single operators", "give --micro, too");
  return {};
}

int run_micro(const present::Benchmark& planned, const MicroOptions& options,
              const ReplaySettings& play, const Findings& findings, Context& context) {
  present::MicroBenchmark measured{planned, {}, {}};
  auto all = bench::microbenchmarks_of(planned.plan, options.filter, play.memory_limit);
  if (!all) return context.fail(all.error(), findings);
  measured.all = *std::move(all);
  const auto module = BenchModule::load();
  if (!module) return context.fail(module.error(), findings);
  ReplaySettings how = play;
  how.synchronize = play.device != "cpu";  // on a device, calls return before their work ends
  for (const bench::Microbenchmark& micro : measured.all) {
    const auto outcome = (*module)->play(bench::plan_text(micro.plan), how);
    if (!outcome) return context.fail(outcome.error(), findings);
    measured.times.push_back(bench::microbenchmark_time(micro, *outcome));
  }
  if (!options.kernels.empty()) {
    const std::string rows = bench::measured_kernels(measured.all, measured.times, options.device);
    if (auto done = write_output(options.kernels, rows, context.force); !done)
      return context.fail(done.error(), findings);
  }
  return context.deliver(
      [&](report::Answer& answer) { present::state_bench_micro(answer, measured, findings); });
}

}  // namespace orrery::commands
