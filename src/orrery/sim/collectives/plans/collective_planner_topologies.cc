// SPDX-License-Identifier: Apache-2.0
//
// The dimensions and algorithms of a group's collectives.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <utility>

#include "orrery/sim/collectives/plans/collective_planner.h"

namespace orrery::sim {

using graph::CollectiveType;
using model::LogicalDim;
using model::LogicalTopology;
using platform::Algorithm;
using platform::Rules;

namespace {

std::uint32_t members_of(const model::MultiDimFabric& fabric, const Communicator& group) {
  return group.ranks.empty() ? fabric.rank_count() : group.members;
}

bool fits(const platform::AlgorithmSpec& algorithm, std::uint32_t members) {
  return !platform::entry(algorithm.algorithm).power_of_two || std::has_single_bit(members);
}

/// By dimension: the number of coordinates of the group's members.
std::vector<std::uint32_t> spans_of(const model::MultiDimFabric& fabric,
                                    const Communicator& group) {
  std::vector<std::uint32_t> spans;
  for (std::size_t d = 0; d < fabric.dim_count(); ++d) {
    spans.push_back(static_cast<std::uint32_t>(fabric.dim(d).size));
    if (group.ranks.empty()) continue;
    std::set<std::uint32_t> coordinates;
    for (const std::uint32_t rank : group.ranks) coordinates.insert(fabric.coordinate(rank, d));
    spans.back() = static_cast<std::uint32_t>(coordinates.size());
  }
  return spans;
}

}  // namespace

// A plain ring, or the configured algorithm if there is exactly one (Orrery rules: and it joins
// dimensions).
LogicalTopology CollectivePlanner::group_ring(const Algorithms& algorithms,
                                              const Communicator& group) const {
  LogicalTopology topology;
  topology.members = group.members;
  topology.sub_group = true;
  LogicalDim logical;
  logical.ring = {group.members, 1};
  logical.along_dim = false;
  const bool astra = platform_.rules == Rules::astra;
  if (algorithms.size() == 1) {
    const platform::AlgorithmSpec& only = algorithms.front();
    if (astra || (only.joined && fits(only, group.members)))
      logical.algorithm = {only.algorithm, only.window};
  }
  topology.dims.push_back(logical);
  return topology;
}

std::optional<LogicalTopology> CollectivePlanner::group_grid(const Algorithms& algorithms,
                                                             const Communicator& group) const {
  LogicalTopology topology;
  topology.members = group.members;
  topology.sub_group = true;
  std::uint64_t product = 1;
  const std::vector<std::uint32_t> spans = spans_of(fabric_, group);
  for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
    const std::uint32_t span = spans[d];
    if (span > 1) {
      if (d >= algorithms.size()) return std::nullopt;
      if (algorithms[d].joined) return std::nullopt;
      LogicalDim logical;
      logical.dim = static_cast<std::uint32_t>(d);
      logical.ring = {span, static_cast<std::uint32_t>(product)};
      logical.algorithm =
          fits(algorithms[d], span) ? algorithms[d] : platform::AlgorithmSpec{Algorithm::ring};
      logical.along_dim =
          fabric_.dim(d).block != platform::Block::ring || span == fabric_.dim(d).size;
      topology.dims.push_back(logical);
    }
    product *= span;
  }
  if (product != group.members) return std::nullopt;  // the group does not have every combination
  return topology;
}

// Uses the ports of the worst member, in any dimension that the group crosses.
model::LibraryGroup CollectivePlanner::library_group(const Communicator& group) const {
  model::LibraryGroup seen;
  if (!has_library_) return seen;
  const std::uint32_t in_node =
      node_dims_ < fabric_.dim_count() ? fabric_.stride(node_dims_) : fabric_.rank_count();
  const std::uint32_t members = members_of(fabric_, group);
  std::set<std::uint32_t> nodes;
  for (std::uint32_t m = 0; m < members; ++m) {
    const std::uint32_t rank = group.rank_at(m);
    nodes.insert(rank / in_node);
    for (std::size_t d = 0; fabric_.ports_deviate() && d < fabric_.dim_count(); ++d) {
      const model::MultiDimFabric::Port port = fabric_.port(rank, d);
      double& share = d < node_dims_ ? seen.intra_share : seen.inter_share;
      share = std::min(share, port.share);
      seen.extra_latency =
          std::max(seen.extra_latency, static_cast<std::int64_t>(port.latency_ns * kPsPerNs));
    }
  }
  seen.nodes = static_cast<std::uint32_t>(nodes.size());
  return seen;
}

// Uses the queues of the outermost dimension that the group spans.
LogicalTopology CollectivePlanner::library_topology(const Communicator& group) const {
  LogicalTopology topology;
  topology.members = members_of(fabric_, group);
  topology.sub_group = true;
  LogicalDim logical;
  logical.ring = {topology.members, 1};
  logical.algorithm = {Algorithm::direct, -1};
  logical.along_dim = false;
  logical.library = library_group(group);
  for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
    const std::uint32_t first =
        group.ranks.empty() ? 0 : fabric_.coordinate(group.ranks.front(), d);
    const bool spread =
        group.ranks.empty()
            ? fabric_.dim(d).size > 1
            : std::any_of(group.ranks.begin(), group.ranks.end(),
                          [&](std::uint32_t rank) { return fabric_.coordinate(rank, d) != first; });
    if (spread) logical.dim = static_cast<std::uint32_t>(d);
  }
  topology.dims.push_back(logical);
  return topology;
}

// A collective over some dimensions runs in one dimension after another, in each as in a group.
void CollectivePlanner::assign_to_library(LogicalTopology& system) const {
  for (LogicalDim& logical : system.dims) {
    logical.algorithm = {Algorithm::direct, -1};
    logical.along_dim = false;
    logical.library.nodes = logical.dim < node_dims_ ? 1 : logical.ring.size;
  }
}

const std::vector<std::uint32_t>& CollectivePlanner::chosen_for(CollectiveType type,
                                                                std::uint32_t communicator,
                                                                const Communicator& group) {
  const auto [found, is_new] = chosen_for_.try_emplace({type, group.sub_group ? communicator : 0},
                                                       std::vector<std::uint32_t>{});
  if (!is_new) return found->second;
  const std::vector<std::uint32_t> spans = spans_of(fabric_, group);
  const auto& all = platform_.collectives.plan(type)->chosen;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].members == members_of(fabric_, group) && all[i].spans == spans)
      found->second.push_back(i);
  }
  return found->second;
}

Result<std::uint32_t> CollectivePlanner::topology(CollectiveType type, std::uint32_t communicator,
                                                  const Communicator& group,
                                                  std::uint32_t dims_mask, std::int64_t size) {
  const auto& all = platform_.collectives.plan(type)->chosen;
  if (!all.empty() && spans_all_dims(group, dims_mask)) {
    for (const std::uint32_t i : chosen_for(type, communicator, group)) {
      if (all[i].size.count() == size) return topology_by(type, communicator, group, dims_mask, i);
    }
  }
  return topology_by(type, communicator, group, dims_mask, kNone);
}

std::vector<std::uint32_t> CollectivePlanner::topologies(CollectiveType type,
                                                         std::uint32_t communicator,
                                                         const Communicator& group,
                                                         std::uint32_t dims_mask) {
  std::vector<std::uint32_t> all;
  const auto add = [&](std::uint32_t chosen) {
    const auto number = topology_by(type, communicator, group, dims_mask, chosen);
    if (number && std::find(all.begin(), all.end(), *number) == all.end()) all.push_back(*number);
  };
  add(kNone);
  if (platform_.collectives.plan(type)->chosen.empty() || !spans_all_dims(group, dims_mask))
    return all;
  for (const std::uint32_t i : chosen_for(type, communicator, group)) add(i);
  return all;
}

bool CollectivePlanner::spans_all_dims(const Communicator& group, std::uint32_t dims_mask) const {
  const std::uint32_t all_dims = fabric_.dim_count() < 32 ? (1U << fabric_.dim_count()) - 1 : ~0U;
  return group.sub_group || (group.dims(dims_mask) & all_dims) == all_dims;
}

Result<std::uint32_t> CollectivePlanner::topology_by(CollectiveType type,
                                                     std::uint32_t communicator,
                                                     const Communicator& group,
                                                     std::uint32_t dims_mask,
                                                     std::uint32_t chosen) {
  const std::uint32_t owner = group.sub_group ? communicator : 0;
  const std::uint32_t dims = group.dims(dims_mask);
  if (owner >= recent_topologies_.size()) recent_topologies_.resize(std::size_t{owner} + 1);
  auto& recent = recent_topologies_[owner][static_cast<std::size_t>(type) % 4];
  if (recent.type == type && recent.dims_mask == dims && recent.chosen == chosen &&
      recent.number != kNone)
    return recent.number;
  const auto key = std::make_tuple(type, owner, dims, chosen);
  const auto known = topology_of_.find(key);
  if (known != topology_of_.end()) {
    recent = {type, dims, chosen, known->second};
    return known->second;
  }
  const platform::CollectivePlan& plan = *platform_.collectives.plan(type);
  const Algorithms& algorithms = chosen == kNone ? plan.per_dim : plan.chosen[chosen].per_dim;
  LogicalTopology made;
  if (has_library_ && spans_all_dims(group, dims_mask)) {
    made = library_topology(group);
  } else if (!group.sub_group) {
    auto system = model::system_topology(algorithms, fabric_, type, dims_mask);
    if (!system) return tl::unexpected(system.error());
    made = std::move(*system);
    if (has_library_) assign_to_library(made);
  } else if (algorithms.empty()) {
    return fail(Errc::config_missing_key, fmt::format("{}-implementation", graph::name(type)),
                "no algorithm is configured for this collective",
                "list one algorithm per network dimension");
  } else {
    auto grid = platform_.rules == Rules::orrery ? group_grid(algorithms, group) : std::nullopt;
    made = grid ? std::move(*grid) : group_ring(algorithms, group);
  }
  const auto equal = std::find(topologies_.begin(), topologies_.end(), made);
  const auto number = static_cast<std::uint32_t>(equal - topologies_.begin());
  if (equal == topologies_.end()) topologies_.push_back(std::move(made));
  topology_of_.emplace(key, number);
  return number;
}

}  // namespace orrery::sim
