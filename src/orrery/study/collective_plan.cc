// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collective_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "orrery/calibrate/collectives.h"
#include "orrery/core/text.h"
#include "orrery/platform/networks.h"
#include "orrery/study/custom_algorithms.h"
#include "orrery/study/inputs.h"
#include "orrery/study/one_collective.h"
#include "orrery/synthesis/lower.h"

namespace orrery::study {

using synthesis::Plan;
using synthesis::PlanCollective;

namespace {

constexpr Bytes kUsualSize{1'000'000'000};

std::vector<std::uint32_t> first_ranks(std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

/// As large as asked for, in shares that are equal where the collective wants them to be.
Bytes in_equal_shares(const Plan& plan, Bytes size) {
  const auto ranks = static_cast<std::int64_t>(plan.ranks.size());
  return plan.collective == PlanCollective::all_gather ? Bytes(size.count() / ranks * ranks) : size;
}

Result<sim::SimResult> simulate_plan(const Plan& plan, Bytes size, platform::Platform platform,
                                     const sim::Options& options) {
  const auto members = static_cast<std::uint32_t>(plan.ranks.size());
  const std::int64_t ranks = platform.npu_count();
  if (ranks < members)
    return fail(Errc::config_conflict, platform.name,
                fmt::format("{} devices, and the plan is for {}", ranks, members),
                "a plan is for as many ranks as it has; name a larger cluster");
  graph::Workload work = one_collective(synthesis::workload_type(plan.collective), size,
                                        first_ranks(members), static_cast<std::uint32_t>(ranks));
  auto graphs = synthesis::lower(plan);
  if (!graphs) return tl::unexpected(graphs.error());
  work.custom_collectives[std::string(kOneCollective)] = *std::move(graphs);
  platform.collectives.custom_by_node = {{1, std::string(kOneCollective)}};
  return simulate_one(work, platform, options);
}

/// The same without a plan, where the cluster has algorithms for it.
std::optional<Time> own_time(const Plan& plan, Bytes size, const Cluster& cluster,
                             sim::Options options) {
  const auto members = static_cast<std::uint32_t>(plan.ranks.size());
  const auto type = synthesis::workload_type(plan.collective);
  if (plan.collective == PlanCollective::other) return std::nullopt;
  options.library = cluster.library;
  const auto result = simulate_one(one_collective(type, size, first_ranks(members), cluster.ranks),
                                   cluster.platform, options);
  return result ? std::optional(result->end) : std::nullopt;
}

Result<PlannedRun> run_on(const CollectivePlanQuestion& question, const Plan& plan, Bytes size,
                          Findings& findings) {
  Question about;
  about.cluster = question.cluster;
  about.network = question.network;
  if (auto settled = settle(about); !settled) return tl::unexpected(settled.error());
  const auto cluster = read_cluster(about, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  PlannedRun made;
  made.cluster = question.cluster;
  made.network = platform::entry(cluster->platform.network).name;
  made.size = in_equal_shares(plan, size);
  sim::Options options;
  const auto result = simulate_plan(plan, made.size, cluster->platform, options);
  if (!result) return tl::unexpected(result.error());
  findings.merge(result->findings);
  made.time = result->end;
  made.messages = result->messages;
  made.own = own_time(plan, made.size, *cluster, options);
  if (made.time.count() == 0) return made;
  made.algorithm_bandwidth =
      static_cast<double>(made.size.count()) / (static_cast<double>(made.time.count()) * 1e-12);
  const calibrate::Collective* known =
      calibrate::collective_named(graph::name(synthesis::workload_type(plan.collective)));
  if (known != nullptr && plan.collective != PlanCollective::other)
    made.bus_bandwidth =
        made.algorithm_bandwidth *
        calibrate::bus_factor(*known, static_cast<std::int32_t>(plan.ranks.size())).least;
  return made;
}

}  // namespace

Bytes CollectivePlanAnswer::bytes_of(std::uint64_t chunks) const {
  const auto whole = std::max<std::uint32_t>(synthesis::whole_chunks(plan), 1);
  const double share = static_cast<double>(chunks) / whole;
  return Bytes(static_cast<std::int64_t>(share * static_cast<double>(size.count()) + 0.5));
}

Result<CollectivePlanAnswer> look_at_plan(const CollectivePlanQuestion& question,
                                          Findings& findings) {
  auto plan = read_any_plan(question.file, findings);
  if (!plan) return tl::unexpected(plan.error());
  CollectivePlanAnswer answer;
  answer.plan = *std::move(plan);
  answer.check = synthesis::check_plan(answer.plan);
  answer.chunks_sent = synthesis::chunks_sent(answer.plan);
  for (const synthesis::PlanRank& rank : answer.plan.ranks)
    for (const synthesis::PlanBlock& block : rank.blocks)
      answer.longest_block = std::max<std::uint64_t>(answer.longest_block, block.steps.size());
  const std::int64_t most = answer.plan.max_bytes;
  answer.size = most > 0 ? Bytes(std::min(most, kUsualSize.count())) : kUsualSize;
  if (question.size) answer.size = *question.size;
  if (question.cluster.empty() || !answer.check.right()) return answer;
  auto run = run_on(question, answer.plan, answer.size, findings);
  if (!run) return tl::unexpected(run.error());
  answer.run = *std::move(run);
  return answer;
}

Result<Time> time_of_plan(const Plan& plan, Bytes size, const platform::Platform& platform,
                          bool fold) {
  sim::Options options;
  options.fold = fold;
  const auto result = simulate_plan(plan, in_equal_shares(plan, size), platform, options);
  if (!result) return tl::unexpected(result.error());
  return result->end;
}

}  // namespace orrery::study
