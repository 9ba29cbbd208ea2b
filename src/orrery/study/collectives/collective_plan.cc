// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/collective_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "orrery/calibrate/measurements/collective_names.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/text/text.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/collectives/algorithms/single_collective.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::study {

using synthesis::Plan;

namespace {

constexpr Bytes kUsualSize{1'000'000'000};

std::vector<std::uint32_t> first_ranks(std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

/// The size, rounded to equal shares if the collective requires them.
Bytes in_equal_shares(const Plan& plan, Bytes size) {
  const auto ranks = static_cast<std::int64_t>(plan.ranks.size());
  return plan.collective == CollectiveType::all_gather ? Bytes(size.count() / ranks * ranks) : size;
}

/// A plan, and the ranks that run it.
struct PlanOfRanks {
  const Plan* plan;
  std::vector<std::uint32_t> ranks;
  Bytes size;  ///< rounded to equal shares
};

Result<PlanOfRanks> placed_plan(const Plan& plan, std::vector<std::uint32_t> ranks, Bytes size,
                                const platform::Platform& platform) {
  const auto members = static_cast<std::uint32_t>(plan.ranks.size());
  const std::int64_t devices = platform.npu_count();
  if (devices < members)
    return fail(Errc::config_conflict, platform.name,
                fmt::format("has {} devices, but the plan is for {}", devices, members),
                "a plan runs on exactly its number of ranks; give a larger cluster");
  if (ranks.empty()) ranks = first_ranks(members);
  const bool ascending =
      std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>()) == ranks.end();
  if (ranks.size() != members || !ascending || ranks.back() >= devices)
    return fail(Errc::usage, "--ranks",
                fmt::format("must name {} of ranks 0 to {}, ascending: the GPUs of {}", members,
                            devices - 1, in_quotes(plan.name)));
  return PlanOfRanks{&plan, std::move(ranks), in_equal_shares(plan, size)};
}

graph::Workload work_of_plans(std::span<const PlanOfRanks> plans, std::int64_t ranks) {
  std::vector<graph::Collective> collectives;
  std::vector<std::vector<std::uint32_t>> groups;
  for (const PlanOfRanks& one : plans) {
    graph::Collective& collective = collectives.emplace_back();
    collective.type = synthesis::workload_type(one.plan->collective);
    // A node of an all-gather states the contribution of one rank.
    collective.size = collective.type == graph::CollectiveType::all_gather
                          ? Bytes(one.size.count() / static_cast<std::int64_t>(one.ranks.size()))
                          : one.size;
    groups.push_back(one.ranks);
  }
  return overlapping_collectives(collectives, groups, static_cast<std::uint32_t>(ranks));
}

Result<sim::SimResult> simulate_plans(std::span<const PlanOfRanks> plans,
                                      platform::Platform platform, const sim::Options& options) {
  graph::Workload work = work_of_plans(plans, platform.npu_count());
  platform.collectives.custom_by_node.clear();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto graphs = synthesis::lower_plan(*plans[i].plan);
    if (!graphs) return tl::unexpected(graphs.error());
    const std::string name = fmt::format("{} {}", kSingleCollective, i + 1);
    work.custom_collectives[name] = *std::move(graphs);
    platform.collectives.custom_by_node[i + 1] = name;
  }
  return simulate_collectives(work, platform, options);
}

/// The time without plans; empty if the cluster has no algorithm for the collective.
std::optional<Time> own_time(std::span<const PlanOfRanks> plans, const Cluster& cluster,
                             sim::Options options) {
  for (const PlanOfRanks& one : plans) {
    if (one.plan->collective == CollectiveType::unknown) return std::nullopt;
  }
  options.library = cluster.library;
  const auto result =
      simulate_collectives(work_of_plans(plans, cluster.ranks), cluster.platform, options);
  return result ? std::optional(result->end) : std::nullopt;
}

Result<Cluster> cluster_for_plans(const CollectivePlanQuestion& question, Findings& findings) {
  Question about;
  about.cluster = question.cluster;
  about.network_bandwidth = question.network_bandwidth;
  about.network = question.network;
  if (auto settled = settle(about); !settled) return tl::unexpected(settled.error());
  return read_cluster(about, findings);
}

Result<PlanRun> run_plans(const std::string& name, std::span<const PlanOfRanks> plans,
                          const Cluster& cluster, Findings& findings) {
  PlanRun made;
  made.cluster = name;
  made.network = network_model(cluster.platform.network).name;
  made.size = plans.front().size;
  const sim::Options options;
  const auto result = simulate_plans(plans, cluster.platform, options);
  if (!result) return tl::unexpected(result.error());
  findings.merge(result->findings);
  made.time = result->end;
  made.messages = result->messages;
  made.own = own_time(plans, cluster, options);
  return made;
}

Result<PlanRun> run_on(const CollectivePlanQuestion& question, const Plan& plan, Bytes size,
                       Findings& findings) {
  const auto cluster = cluster_for_plans(question, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  const auto one = placed_plan(plan, question.ranks, size, cluster->platform);
  if (!one) return tl::unexpected(one.error());
  auto run = run_plans(question.cluster, {&*one, 1}, *cluster, findings);
  if (!run || run->time.count() == 0) return run;
  PlanRun& made = *run;
  made.algorithm_bandwidth =
      static_cast<double>(made.size.count()) / (static_cast<double>(made.time.count()) * 1e-12);
  const calibrate::Collective* known =
      calibrate::find_collective(graph::name(synthesis::workload_type(plan.collective)));
  if (known != nullptr && plan.collective != CollectiveType::unknown)
    made.bus_bandwidth =
        made.algorithm_bandwidth *
        calibrate::bus_factor(*known, static_cast<std::int32_t>(plan.ranks.size())).lower;
  return run;
}

}  // namespace

Bytes CollectivePlanAnswer::bytes_of(std::uint64_t chunks) const {
  const auto whole = std::max<std::uint32_t>(synthesis::buffer_chunks(plan), 1);
  const double share = static_cast<double>(chunks) / whole;
  return Bytes(static_cast<std::int64_t>(share * static_cast<double>(size.count()) + 0.5));
}

Result<CollectivePlanAnswer> check_collective_plan(const CollectivePlanQuestion& question,
                                                   Findings& findings) {
  auto plan = read_plan_or_traces(question.file, findings);
  if (!plan) return tl::unexpected(plan.error());
  CollectivePlanAnswer answer;
  answer.plan = *std::move(plan);
  answer.check = synthesis::check_plan(answer.plan);
  answer.chunks_sent = synthesis::chunks_sent(answer.plan);
  for (const synthesis::PlanRank& rank : answer.plan.ranks)
    for (const synthesis::PlanBlock& block : rank.blocks)
      answer.max_block_steps = std::max<std::uint64_t>(answer.max_block_steps, block.steps.size());
  const std::int64_t most = answer.plan.max_bytes;
  answer.size = most > 0 ? Bytes(std::min(most, kUsualSize.count())) : kUsualSize;
  if (question.size) answer.size = *question.size;
  if (question.cluster.empty() || !answer.check.is_valid()) return answer;
  auto run = run_on(question, answer.plan, answer.size, findings);
  if (!run) return tl::unexpected(run.error());
  answer.run = *std::move(run);
  return answer;
}

Result<CollectivePlansAnswer> check_collective_plans(
    const std::vector<CollectivePlanQuestion>& questions, Findings& findings) {
  CollectivePlansAnswer answer;
  bool is_valid = true;
  for (CollectivePlanQuestion question : questions) {
    if (!question.cluster.empty() && question.ranks.empty())
      return fail(Errc::usage, "--ranks", "must be given once for each plan",
                  "the GPUs of the first plan, then those of the second, …");
    question.cluster.clear();
    auto plan = check_collective_plan(question, findings);
    if (!plan) return tl::unexpected(plan.error());
    is_valid &= plan->check.is_valid();
    answer.plans.push_back(*std::move(plan));
  }
  if (questions.empty() || questions.front().cluster.empty() || !is_valid) return answer;
  const auto cluster = cluster_for_plans(questions.front(), findings);
  if (!cluster) return tl::unexpected(cluster.error());
  std::vector<PlanOfRanks> all;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const CollectivePlanAnswer& one = answer.plans[i];
    auto plan = placed_plan(one.plan, questions[i].ranks, one.size, cluster->platform);
    if (!plan) return tl::unexpected(plan.error());
    all.push_back(*std::move(plan));
  }
  auto run = run_plans(questions.front().cluster, all, *cluster, findings);
  if (!run) return tl::unexpected(run.error());
  answer.run = *std::move(run);
  return answer;
}

Result<Time> simulate_plan(const Plan& plan, Bytes size, const platform::Platform& platform,
                           bool fold) {
  sim::Options options;
  options.fold = fold;
  const auto one = placed_plan(plan, {}, size, platform);
  if (!one) return tl::unexpected(one.error());
  const auto result = simulate_plans({&*one, 1}, platform, options);
  if (!result) return tl::unexpected(result.error());
  return result->end;
}

}  // namespace orrery::study
