// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/variability/variability_teams.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "orrery/core/disjoint_sets.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {
namespace {

constexpr std::size_t kMaxGraphs = 64;

bool sends_messages(const graph::Workload& workload) {
  return std::any_of(workload.graphs.begin(), workload.graphs.end(), [](const auto& graph) {
    const auto kinds = graph->kinds();
    return std::find(kinds.begin(), kinds.end(), graph::NodeKind::send) != kinds.end();
  });
}

/// Replicas are ranks joined by tensor, context, expert and pipeline parallelism, and by gathering
/// weights in every layer.
Teams teams_of_plan(const workload::Program& program, std::uint32_t ranks) {
  const workload::Mesh& mesh = program.mesh;
  std::vector<workload::Axis> axes{workload::Axis::tp, workload::Axis::cp, workload::Axis::ep,
                                   workload::Axis::etp};
  if (program.spec.parallel.sharding == workload::Sharding::zero3)
    axes.push_back(workload::Axis::dp_shard);
  const std::uint32_t down = mesh.stride(workload::Dim::pp);
  DisjointSets joined(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const workload::Axis axis : axes)
      if (mesh.axis(axis).has(rank)) joined.join(rank, mesh.axis(axis).first(rank));
    joined.join(rank, rank - mesh.coordinate(rank, workload::Dim::pp) * down);
  }
  Teams made;
  made.stages = mesh.size(workload::Dim::pp);
  made.replicas = 0;
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto [found, added] = numbers.try_emplace(joined.find(rank), made.replicas);
    made.replicas += added ? 1 : 0;
    made.of_rank.push_back(found->second * made.stages + mesh.coordinate(rank, workload::Dim::pp));
  }
  made.grows = made.replicas == 1 && mesh.size(workload::Dim::dp) > 1;
  return made;
}

}  // namespace

Result<Teams> find_teams(const Load& load) {
  const std::uint32_t ranks = load.workload.rank_count();
  if (load.program) return teams_of_plan(*load.program, ranks);
  Teams made;
  made.of_rank.assign(ranks, 0);
  if (!sends_messages(load.workload)) return made;
  if (load.workload.graphs.size() > kMaxGraphs)
    return fail(
        Errc::input_unsupported, "--variability",
        fmt::format("{} distinct ranks exchange messages, but no plan assigns them to stages",
                    load.workload.graphs.size()),
        "use --simulate-draws to simulate every draw");
  made.stages = static_cast<std::uint32_t>(load.workload.graphs.size());
  made.of_rank = load.workload.graph_of_rank;
  return made;
}

namespace {

/// The two ascending knots around `x`, or the nearest two, and the position of `x` between them (0
/// at the first, 1 at the second, extrapolated beyond). 1 if both are equal.
std::pair<std::size_t, double> place_in(const std::vector<double>& knots, double x) {
  if (knots.size() < 2) return {0, 0};
  std::size_t to = 1;
  while (to + 1 < knots.size() && knots[to] < x) ++to;
  const double width = knots[to] - knots[to - 1];
  return {to - 1, width > 0 ? (x - knots[to - 1]) / width : 1};
}

/// Piecewise linear interpolation at `x` of values at ascending knots, with linear extrapolation.
double along(const std::vector<double>& knots, const double* values, double x) {
  const auto [from, share] = place_in(knots, x);
  return knots.size() < 2 ? values[0] : values[from] + share * (values[from + 1] - values[from]);
}

}  // namespace

void fit_stages(std::uint32_t stages, const std::vector<Time>& steps, StepResponse& response) {
  const std::vector<double>& factors = response.factors;
  const std::size_t count = factors.size();
  const auto still =
      static_cast<std::size_t>(std::find(response.networks.begin(), response.networks.end(), 1.0) -
                               response.networks.begin());
  response.fill_growth.assign(stages, 0);
  response.alone = factors;
  if (stages == 1) return;
  std::vector<double> all;  // step time by factor, made monotonic
  for (std::size_t f = 0; f < count; ++f) {
    const Time step = response.steps[f * response.networks.size() + still];
    all.push_back(std::max(f == 0 ? 0.0 : all.back(), static_cast<double>(step.count())));
  }
  response.alone.clear();
  for (const Time step : steps)
    response.alone.push_back(along(all, factors.data(), static_cast<double>(step.count())));
  std::vector<double> lines;  // a + max b
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const double* alone = &response.alone[stage * count];
    const double slope =
        (alone[count - 1] - alone[count - 2]) / (factors[count - 1] - factors[count - 2]);
    lines.push_back(slope * factors[count - 1] - (alone[count - 1] - 1));
  }
  const double sum = std::accumulate(lines.begin(), lines.end(), 0.0);
  const double bottleneck = std::max(0.0, (sum - 1) / (stages - 1));
  const auto next = static_cast<std::size_t>(std::upper_bound(factors.begin(), factors.end(), 1.0) -
                                             factors.begin());
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const double least =
        std::max(0.0, (response.alone[stage * count + next] - 1) / (factors[next] - 1));
    response.fill_growth[stage] = std::clamp(lines[stage] - bottleneck, 0.0, least);
  }
}

double effective(const Teams& teams, const StepResponse& response,
                 const std::vector<double>& factors) {
  const std::size_t count = response.factors.size();
  double worst = -1e300;
  for (std::uint32_t replica = 0; replica < teams.replicas; ++replica) {
    const double* own = &factors[std::size_t{replica} * teams.stages];
    double filling = 0;
    for (std::uint32_t stage = 0; stage < teams.stages; ++stage)
      filling += response.fill_growth[stage] * (own[stage] - 1);
    for (std::uint32_t stage = 0; stage < teams.stages; ++stage)
      worst = std::max(worst, along(response.factors, &response.alone[stage * count], own[stage]) +
                                  filling - response.fill_growth[stage] * (own[stage] - 1));
  }
  return worst;
}

Time response_step(const StepResponse& response, double effective, double network) {
  const auto [f, past] = place_in(response.factors, effective);
  const auto [n, across] = place_in(response.networks, network);
  const auto at = [&](std::size_t i, std::size_t j) {
    const std::size_t last = response.networks.size() - 1;
    return static_cast<double>(response.steps[i * (last + 1) + std::min(j, last)].count());
  };
  const double here = at(f, n) + past * (at(f + 1, n) - at(f, n));
  const double following = at(f, n + 1) + past * (at(f + 1, n + 1) - at(f, n + 1));
  return Time(static_cast<std::int64_t>(std::max(here + across * (following - here), 0.0)));
}

Inputs scale_inputs(const Inputs& inputs, const std::vector<double>& factors, double network) {
  auto cluster = std::make_shared<Cluster>(*inputs.cluster);
  platform::Platform& platform = cluster->platform;
  // Ranks with deviations keep them, scaled by their factor.
  std::vector<std::uint32_t> was(factors.size(), 0);  // 1 + index of the deviation; 0: none
  std::vector<platform::Deviation> old = std::move(platform.deviations);
  platform.deviations.clear();
  for (std::size_t i = 0; i < old.size(); ++i)
    for (const std::uint32_t rank : old[i].ranks)
      if (rank < was.size()) was[rank] = static_cast<std::uint32_t>(i + 1);
  std::map<std::pair<std::uint32_t, double>, std::size_t> known;
  for (std::uint32_t rank = 0; rank < factors.size(); ++rank) {
    const auto [found, added] =
        known.try_emplace({was[rank], factors[rank]}, platform.deviations.size());
    if (added) {
      platform::Deviation deviation = was[rank] > 0 ? old[was[rank] - 1] : platform::Deviation{};
      deviation.ranks.clear();
      deviation.compute_time *= factors[rank];
      platform.deviations.push_back(std::move(deviation));
    }
    platform.deviations[found->second].ranks.push_back(rank);
  }
  if (network != 1) {
    platform::scale_network(platform, 1 / network, network);
    // Times of a library are measured, or predicted for links at full rate, not for slightly slower
    // links.
    const auto off = [network](auto&&...) { return network; };
    if (cluster->library)
      cluster->library =
          std::make_shared<const model::LibraryTimes>(cluster->library->with_error(off));
  }
  return Inputs{std::move(cluster), inputs.load};
}

}  // namespace orrery::study
