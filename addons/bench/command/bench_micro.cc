// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_micro.h"

#include <utility>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/text/bench_micro_text.h"
#include "apps/orrery/output_file.h"

namespace orrery::app {

Result<void> check_micro(const MicroOptions& options) {
  if (options.asked) return {};
  for (const auto& [option, given] : {std::pair("--filter", !options.filter.empty()),
                                      std::pair("--kernels", !options.kernels.empty())})
    if (given) return fail(Errc::usage, option, "is about single operators", "give --micro, too");
  return {};
}

Result<std::vector<bench::Microbenchmark>> micro_of(const present::Benchmark& planned,
                                                    const MicroOptions& options,
                                                    std::int64_t memory_limit) {
  return bench::microbenchmarks_of(planned.plan, options.filter, memory_limit);
}

int run_micro(const present::Benchmark& planned, const MicroOptions& options,
              const ReplaySettings& play, const Findings& findings, Session& session) {
  present::MicroBenchmark measured{planned, {}, {}};
  auto all = micro_of(planned, options, play.memory_limit);
  if (!all) return session.fail(all.error(), findings);
  measured.all = *std::move(all);
  const auto module = BenchModule::load();
  if (!module) return session.fail(module.error(), findings);
  ReplaySettings how = play;
  how.synchronise = play.device != "cpu";  // one call alone says little of a queue
  for (const bench::Microbenchmark& micro : measured.all) {
    const auto outcome = (*module)->play(bench::plan_text(micro.plan), how);
    if (!outcome) return session.fail(outcome.error(), findings);
    measured.times.push_back(bench::microbenchmark_time(micro, *outcome));
  }
  if (!options.kernels.empty()) {
    const std::string rows = bench::measured_kernels(measured.all, measured.times, options.device);
    if (auto done = write_output(options.kernels, rows, session.force); !done)
      return session.fail(done.error(), findings);
  }
  return session.deliver(present::bench_micro_text(measured, findings, session.out_style()),
                         [&] { return present::bench_micro_json(measured, findings); });
}

}  // namespace orrery::app
