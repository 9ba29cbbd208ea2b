// SPDX-License-Identifier: Apache-2.0
//
// Expands a workload for tests: no axes and no relative peers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"

namespace orrery::sim::testing {

/// `rank`'s graph with each group's own name and absolute peers.
inline graph::GraphRef expanded(const graph::Workload& workload, std::uint32_t rank,
                                const std::shared_ptr<StringPool>& strings) {
  const graph::Graph& from = workload.graph(rank);
  std::vector<std::vector<std::uint64_t>> deps(from.size());
  for (graph::NodeId n = 0; n < from.size(); ++n) {
    for (const graph::NodeId next : from.successors(n)) deps[next].push_back(from.id(n));
  }
  graph::GraphBuilder builder("expanded", strings, graph::Repair::refuse);
  constexpr graph::NodeFlag kFlags[] = {
      graph::kIsCpu,       graph::kHasNumOps,   graph::kHasTensorSize, graph::kHasCommType,
      graph::kHasCommSize, graph::kHasSrc,      graph::kHasDst,        graph::kHasTag,
      graph::kHasDims,     graph::kHasPriority, graph::kHasCpuAttr,    graph::kIsCopy,
      graph::kIsComm,      graph::kIsWait};
  for (graph::NodeId n = 0; n < from.size(); ++n) {
    graph::NodeSpec node;
    node.id = from.id(n);
    node.kind = from.kind(n);
    for (const graph::NodeFlag flag : kFlags) {
      if (from.has(n, flag)) node.flags |= flag;
    }
    node.duration = from.duration(n);
    node.name = strings->intern(from.name(n));
    if (node.kind == graph::NodeKind::comp) node.work = from.work(n);
    if (node.kind == graph::NodeKind::send || node.kind == graph::NodeKind::recv)
      node.message = from.message(n, rank);
    if (node.kind == graph::NodeKind::coll) {
      node.collective = from.collective(n);
      const auto group = from.string(node.collective.group);
      node.collective.group = strings->intern(workload.group_name(group, rank));
    }
    node.deps = std::move(deps[n]);
    for (const std::uint64_t dep : node.deps) {
      const graph::NodeId before = from.find(dep);
      const std::uint32_t edge = from.edge(before, n);
      graph::DependencyNote note{.dep = dep};
      if (from.has_lags()) note.lag = from.lags(before)[edge];
      if (const auto kinds = from.edge_kinds(before); !kinds.empty()) note.kind = kinds[edge];
      node.notes.push_back(note);
    }
    if (from.lane(n) != graph::kNoLane) node.lane = from.lanes()[from.lane(n)];
    builder.add(node);
  }
  Findings findings;
  auto made = std::move(builder).finish(findings);
  ORRERY_CHECK(made.has_value());
  return std::make_shared<const graph::Graph>(std::move(*made));
}

/// One graph per rank; lists every group of every axis by name.
inline graph::Workload expanded(const graph::Workload& workload) {
  graph::Workload made;
  made.groups = workload.groups;
  const auto strings = std::make_shared<StringPool>();
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    for (const auto& [axis, digits] : workload.axes) {
      if (!digits.has(rank)) continue;
      const std::string name = workload.group_name(axis, rank);
      made.groups[name] = {name, digits.members(digits.first(rank))};
    }
    made.graph_of_rank.push_back(rank);
    made.graphs.push_back(expanded(workload, rank, strings));
  }
  return made;
}

}  // namespace orrery::sim::testing
