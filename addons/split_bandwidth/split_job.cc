// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/split_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "addons/split_bandwidth/limits.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::split_bandwidth {

namespace {

using study::Cluster;
using study::Inputs;
using study::Load;
using study::Question;

constexpr double kPerGB = 1e-9;

std::vector<Bandwidth> rates_of(const platform::Platform& platform) {
  std::vector<Bandwidth> rates;
  for (const platform::Dimension& dim : platform.dims)
    rates.push_back(dim.bandwidth * links_of(dim));
  return rates;
}

Result<std::vector<Bandwidth>> bounds(const std::vector<std::pair<std::uint32_t, Bandwidth>>& asked,
                                      std::size_t dims, Bandwidth otherwise) {
  std::vector<Bandwidth> made(dims, otherwise);
  for (const auto& [dim, bandwidth] : asked) {
    if (dim >= dims)
      return fail(Errc::config_range, fmt::format("dimension {}", dim), "is not in the network",
                  fmt::format("it has {} dimensions, numbered from 0, innermost first", dims));
    made[dim] = bandwidth;
  }
  return made;
}

/// The same question with other bandwidths of the cluster.
Question question_with(const Question& question, const platform::Platform& platform,
                       const std::vector<Bandwidth>& rates) {
  platform::Platform other = platform;
  for (std::size_t d = 0; d < rates.size(); ++d)
    other.dims[d].bandwidth = Bandwidth(rates[d].count() / links_of(other.dims[d]));
  Question asked = question;
  asked.cluster_text = platform::resolved_cluster(other);
  return asked;
}

class Trials {
 public:
  Trials(const Question& question, std::shared_ptr<const Cluster> cluster,
         std::shared_ptr<const Load> load, study::Watch& watch)
      : question_(question), cluster_(std::move(cluster)), load_(std::move(load)), watch_(watch) {}

  Result<study::Outcome> now(Findings& findings) const {
    return ended(study::simulate(question_, Inputs{cluster_, load_}, watch_, findings));
  }
  /// Findings of repeated runs are not reported again.
  [[nodiscard]] Result<study::Outcome> with(const std::vector<Bandwidth>& rates) const {
    const Question asked = question_with(question_, cluster_->platform, rates);
    Findings again;
    auto cluster = study::read_cluster(asked, again);
    if (!cluster) return tl::unexpected(cluster.error());
    const Inputs inputs{std::make_shared<const Cluster>(*std::move(cluster)), load_};
    return ended(study::simulate(asked, inputs, watch_, again));
  }

 private:
  [[nodiscard]] Result<study::Outcome> ended(Result<study::Outcome> outcome) const {
    if (outcome && outcome->result.stall)
      return fail(Errc::stall, question_.job.name(), "the job deadlocks",
                  "`orrery run` with the same job and cluster prints which ranks wait");
    return outcome;
  }

  const Question& question_;
  std::shared_ptr<const Cluster> cluster_;
  std::shared_ptr<const Load> load_;
  study::Watch& watch_;
};

Result<SplitProblem> problem_of(const SplitQuestion& asked, const JobTraffic& traffic,
                                const std::vector<Bandwidth>& now) {
  SplitProblem problem;
  for (const Bandwidth rate : now) problem.total += rate;
  if (asked.total) problem.total = *asked.total;
  problem.demands = traffic.demands;
  problem.objective = asked.objective;
  problem.order = asked.order;
  for (const double cost : asked.costs) problem.costs.push_back(cost * kPerGB);
  const auto lower = bounds(asked.lower, now.size(), Bandwidth{});
  if (!lower) return tl::unexpected(lower.error());
  const auto upper = bounds(asked.upper, now.size(), problem.total);
  if (!upper) return tl::unexpected(upper.error());
  problem.lower = *lower;
  problem.upper = *upper;
  return problem;
}

void take(const study::Outcome& outcome, SplitTrial& tried) {
  tried.step = outcome.result.end;
  tried.exposed = outcome.result.ranks.last().comm_only;
}

Result<void> check_network(const platform::Platform& platform, const std::string& cluster) {
  if (platform.fabric != nullptr)
    return fail(Errc::config_conflict, cluster, "its network is a graph, not dimensions",
                "use a cluster file with `network: [{block: …}, …]`");
  if (platform.dims.size() < 2)
    return fail(Errc::config_conflict, cluster, "its network has only one dimension",
                "use more devices ('h100-sxm:64'), or a cluster file with several dimensions");
  return {};
}

/// The simulator needs a positive bandwidth in each dimension, even if no message uses it.
std::vector<Bandwidth> usable(std::vector<Bandwidth> rates) {
  for (Bandwidth& rate : rates) rate = std::max(rate, Bandwidth(limits::kMinRate));
  return rates;
}

}  // namespace

Result<SplitAnswer> split_for_job(const SplitQuestion& asked, study::Watch& watch,
                                  Findings& findings) {
  Question question = asked.question;
  question.work.brief_names = true;
  if (auto fine = study::settle(question); !fine) return tl::unexpected(fine.error());
  auto read = study::read_cluster(question, findings);
  if (!read) return tl::unexpected(read.error());
  if (auto fine = check_network(read->platform, question.cluster); !fine)
    return tl::unexpected(fine.error());
  const auto cluster = std::make_shared<const Cluster>(*std::move(read));
  auto loaded = study::read_load(question, *cluster, watch, findings);
  if (!loaded) return tl::unexpected(loaded.error());
  const auto load = std::make_shared<const Load>(*std::move(loaded));

  SplitAnswer answer;
  answer.job = question.job.name();
  answer.cluster = question.cluster;
  answer.dims = cluster->platform.dims;
  std::vector<std::int64_t> sizes;
  for (const platform::Dimension& dim : answer.dims) sizes.push_back(dim.size);
  answer.traffic = traffic_of(load->workload, sizes);
  const auto now = rates_of(cluster->platform);
  auto problem = problem_of(asked, answer.traffic, now);
  if (!problem) return tl::unexpected(problem.error());
  answer.problem = *std::move(problem);

  const Trials trials(question, cluster, load, watch);
  const auto as_it_is = trials.now(findings);
  if (!as_it_is) return tl::unexpected(as_it_is.error());
  answer.problem.fixed_seconds = seconds(as_it_is->result.ranks.last().compute);
  auto split = best_split(answer.problem);
  if (!split) return tl::unexpected(split.error());
  answer.split = *std::move(split);

  const double each = answer.problem.total.count() / static_cast<double>(sizes.size());
  answer.tried[SplitAnswer::now].bandwidth = now;
  answer.tried[SplitAnswer::equal].bandwidth.assign(sizes.size(), Bandwidth(each));
  answer.tried[SplitAnswer::best].bandwidth = answer.split.bandwidth;
  for (SplitTrial& tried : answer.tried) {
    tried.seconds = collective_seconds(answer.problem.demands, tried.bandwidth);
    tried.value = split_value(answer.problem, tried.bandwidth);
  }
  take(*as_it_is, answer.tried[SplitAnswer::now]);
  for (const auto which : {SplitAnswer::equal, SplitAnswer::best}) {
    const auto outcome = trials.with(usable(answer.tried[which].bandwidth));
    if (!outcome) return tl::unexpected(outcome.error());
    take(*outcome, answer.tried[which]);
  }
  answer.file =
      question_with(question, cluster->platform, usable(answer.split.bandwidth)).cluster_text;
  return answer;
}

}  // namespace orrery::split_bandwidth
