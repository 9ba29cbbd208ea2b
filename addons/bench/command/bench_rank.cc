// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "addons/bench/plan/communication_delays.h"
#include "addons/bench/plan/replay_plan_text.h"
#include "orrery/commands/options/rank_list.h"
#include "orrery/result/run_file.h"

namespace orrery::commands {

namespace {

/// Sets the delays of the plan from --run.
Result<void> predict_communication(const BenchOptions& options, present::Benchmark& benchmark) {
  const auto run = result::read_run(options.run);
  if (!run) return tl::unexpected(run.error());
  const auto predicted = bench::set_delays(benchmark.plan, *run, benchmark.rank);
  if (!predicted) return tl::unexpected(predicted.error());
  benchmark.predicted_communications = predicted->run;
  return {};
}

}  // namespace

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Result<intake::RankTrace> read_selected_rank(const BenchOptions& options,
                                             const std::vector<std::string>& traces,
                                             Findings& findings) {
  intake::JobOptions job;
  job.traces = traces;
  const auto ranks = intake::find_ranks(job, findings);
  if (!ranks) return tl::unexpected(ranks.error());
  const intake::RankFiles* chosen = &ranks->front();
  if (options.rank || ranks->size() > 1) {
    chosen = nullptr;
    for (const intake::RankFiles& files : *ranks)
      if (options.rank && files.rank == *options.rank) chosen = &files;
    if (chosen == nullptr && !(options.rank && ranks->size() == 1))
      return fail(
          Errc::usage, "--replay-rank",
          fmt::format("must be one of the ranks {} to {}", ranks->front().rank, ranks->back().rank),
          "orrery bench run --replay-rank N TRACE…");
    if (chosen == nullptr) chosen = &ranks->front();
  }
  auto read = intake::read_rank(*chosen, std::make_shared<StringPool>());
  if (read) findings.merge(read->findings);
  return read;
}

Result<std::vector<intake::RankFiles>> selected_ranks(const BenchOptions& options,
                                                      const std::vector<std::string>& traces,
                                                      Findings& findings) {
  const auto asked = parse_ranks(options.ranks);
  if (!asked) return tl::unexpected(asked.error());
  intake::JobOptions job;
  job.traces = traces;
  auto ranks = intake::find_ranks(job, findings);
  if (!ranks || asked->empty()) return ranks;
  for (const auto& [low, high] : *asked) {
    for (std::uint64_t rank = low; rank <= high; ++rank) {
      const bool there = std::any_of(ranks->begin(), ranks->end(),
                                     [&](const auto& files) { return files.rank == rank; });
      if (!there)
        return fail(Errc::usage, "--ranks", fmt::format("there is no recording of rank {}", rank));
    }
  }
  std::erase_if(*ranks, [&](const intake::RankFiles& files) {
    return std::none_of(asked->begin(), asked->end(), [&](const auto& range) {
      return files.rank >= range.first && files.rank <= range.second;
    });
  });
  return ranks;
}

Result<PlannedRank> plan_rank(const BenchOptions& options, const bench::PlanOptions& asked,
                              const BenchModule& module, const Result<intake::RankTrace>& rank,
                              std::int64_t load_ns) {
  if (!rank) return tl::unexpected(rank.error());
  const std::int64_t begin = now_ns();
  auto plan = bench::make_plan(rank->profile, module, asked);
  if (!plan) return tl::unexpected(std::move(plan.error()));
  PlannedRank planned;
  present::Benchmark& benchmark = planned.benchmark;
  benchmark.load_ns = load_ns;
  benchmark.plan = *std::move(plan);
  benchmark.rank = rank->files.rank;
  benchmark.file = rank->profile.where;
  benchmark.framework = module.version();
  benchmark.device = options.play.device;
  benchmark.level = options.level;
  benchmark.communication = options.communication;
  if (!options.run.empty())
    if (auto predicted = predict_communication(options, benchmark); !predicted)
      return tl::unexpected(std::move(predicted.error()));
  ReplaySettings play = options.play;
  play.memory_limit = asked.memory_limit;
  auto changed = obfuscate_plan(benchmark.plan, options.obfuscate, module, play);
  if (!changed) return tl::unexpected(std::move(changed.error()));
  benchmark.changed = *std::move(changed);
  planned.text = bench::plan_text(benchmark.plan);
  benchmark.plan_ns = now_ns() - begin;
  return planned;
}

}  // namespace orrery::commands
