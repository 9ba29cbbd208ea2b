// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/chunk_plan.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"

namespace orrery::model {

using graph::CollectiveType;
using platform::Rules;

Result<Chunking> cut(CollectiveType type, std::int64_t size, std::int64_t splits,
                     std::int64_t total_ranks, Rules rules) {
  if (splits < 1) {
    return fail(Errc::config_range, "preferred-dataset-splits",
                "a collective cannot be split into 0 chunks", "set it to 1 or more");
  }
  Chunking cutting;
  if (rules == Rules::orrery) {
    cutting.chunk = (size + splits - 1) / splits;
    if (size == 0) return cutting;
  } else {
    cutting.chunk = size / splits;
    if (type != CollectiveType::all_gather && total_ranks > cutting.chunk) {
      cutting.chunk = total_ranks;
      size = splits * cutting.chunk;
      cutting.raised = true;
    }
    if (cutting.chunk == 0) cutting.chunk = 1;  // ASTRA-sim loops forever in this case
  }
  cutting.bytes = size;
  cutting.count = (size + cutting.chunk - 1) / cutting.chunk;
  cutting.last = size - (cutting.count - 1) * cutting.chunk;
  if (rules == Rules::astra) {
    cutting.remainder_full = cutting.last != cutting.chunk;
    cutting.last = cutting.chunk;
  }
  if (static_cast<std::uint64_t>(cutting.count) > limits::kChunksPerCollective) {
    return fail(Errc::limit_exceeded, "preferred-dataset-splits",
                fmt::format("a collective would be split into {} chunks; at most {} are allowed",
                            cutting.count, limits::kChunksPerCollective));
  }
  return cutting;
}

Result<LogicalTopology> system_topology(std::span<const platform::AlgorithmSpec> algorithms,
                                        const MultiDimFabric& fabric, CollectiveType type,
                                        std::uint32_t dims_mask) {
  const std::string where = fmt::format("{}-implementation", graph::name(type));
  if (algorithms.empty()) {
    return fail(Errc::config_missing_key, where, "no algorithm is configured for this collective",
                "list one algorithm per network dimension");
  }
  if (algorithms.size() > fabric.dim_count()) {
    return fail(Errc::config_conflict, where,
                fmt::format("{} algorithms are listed for {} network dimensions", algorithms.size(),
                            fabric.dim_count()),
                "list at most one per dimension");
  }
  LogicalTopology topology;
  topology.members = fabric.rank_count();
  for (std::size_t d = 0; d < algorithms.size(); ++d) {
    LogicalDim logical;
    logical.dim = static_cast<std::uint32_t>(d);
    logical.algorithm = {algorithms[d].algorithm, algorithms[d].window};
    logical.involved = d < 32 && ((dims_mask >> d) & 1u) != 0;
    logical.ring = {static_cast<std::uint32_t>(fabric.dim(d).size), fabric.stride(d)};
    if (algorithms[d].joined) {
      logical.ring = {fabric.rank_count(), 1};
      logical.along_dim = fabric.dim_count() == 1;
      topology.dims.push_back(logical);
      return topology;
    }
    topology.dims.push_back(logical);
  }
  return topology;
}

std::vector<PlannedPhase> phases(CollectiveType type, std::int64_t bytes,
                                 const LogicalTopology& topology,
                                 const std::vector<std::uint32_t>& order, bool two_phase,
                                 const platform::Platform& platform) {
  const bool aware =
      platform.collectives.optimization == platform::CollectiveOptimization::local_bw_aware;
  std::vector<std::uint32_t> active;
  for (const std::uint32_t d : order) {
    if (topology.dims[d].involved && topology.dims[d].ring.size > 1) active.push_back(d);
  }
  std::vector<PlannedPhase> plan;
  std::int64_t data = bytes;
  const auto add = [&](std::uint32_t d, CollectiveType phase, QueueUse queues) {
    plan.push_back({d, phase, data, queues});
    // A complete all-reduce, whatever the type of the phase (ASTRA-sim 2.x): sizes do not change.
    if (platform::entry(topology.dims[d].algorithm.algorithm).all_reduce_only) return;
    data = data_after(phase, data, topology.dims[d].ring.size, platform.rules);
  };
  if (type != CollectiveType::all_reduce || (!aware && !two_phase)) {
    for (const std::uint32_t d : active) add(d, type, QueueUse::all);
    return plan;
  }
  const std::size_t turn = two_phase ? active.size() : active.empty() ? 0 : active.size() - 1;
  for (std::size_t i = 0; i < turn; ++i)
    add(active[i], CollectiveType::reduce_scatter, QueueUse::first_half);
  if (turn < active.size()) add(active[turn], CollectiveType::all_reduce, QueueUse::first_half);
  for (std::size_t i = turn; i-- > 0;)
    add(active[i], CollectiveType::all_gather, QueueUse::second_half);
  return plan;
}

}  // namespace orrery::model
