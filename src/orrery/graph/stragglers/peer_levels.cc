// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/stragglers/peer_levels.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "orrery/core/statistics/statistics.h"
#include "orrery/graph/content_hash.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

using OwnWorks = std::map<std::string_view, std::vector<NodeId>>;

/// Own work by name, in the order of ids.
OwnWorks own_works(const Graph& graph) {
  OwnWorks made;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (is_own_work(graph, n)) made[graph.name(n)].push_back(n);
  return made;
}

/// Hash of the number of device works by name: equal for peers.
std::uint64_t device_shape(const Graph& graph) {
  std::map<std::string_view, std::size_t> counts;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (is_own_work(graph, n) && work_kind(graph, n) != WorkKind::host) ++counts[graph.name(n)];
  ContentHash hash;
  for (const auto& [name, count] : counts) {
    hash.add(name);
    hash.add(count);
  }
  return hash.value();
}

}  // namespace

PeerLevels::PeerLevels(const Workload& workload) {
  std::map<std::uint64_t, std::uint32_t> known;
  std::vector<std::vector<std::uint32_t>> ranks_of;
  std::vector<std::uint64_t> shapes;
  for (const GraphRef& graph : workload.graphs) shapes.push_back(device_shape(*graph));
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    level_.push_back(durations_of(workload.graph(rank)));
    const auto [found, added] = known.try_emplace(shapes[workload.graph_of_rank[rank]],
                                                  static_cast<std::uint32_t>(ranks_of.size()));
    if (added) ranks_of.emplace_back();
    ranks_of[found->second].push_back(rank);
    classes_.push_back(found->second);
  }
  for (const auto& ranks : ranks_of) {
    counts_.push_back(static_cast<std::uint32_t>(ranks.size()));
    if (ranks.size() > 1) {
      level_peers(workload, ranks);
    } else {
      level_without_peers(workload, ranks.front());
    }
  }
}

void PeerLevels::level_peers(const Workload& workload, const std::vector<std::uint32_t>& ranks) {
  std::vector<OwnWorks> works;
  for (const std::uint32_t rank : ranks) works.push_back(own_works(workload.graph(rank)));
  std::vector<Time> theirs(ranks.size());
  for (const auto& [name, mine] : works.front()) {
    const bool all = std::all_of(works.begin(), works.end(),
                                 [&key = name, count = mine.size()](const OwnWorks& other) {
                                   const auto found = other.find(key);
                                   return found != other.end() && found->second.size() == count;
                                 });
    for (std::size_t w = 0; all && w < mine.size(); ++w) {
      for (std::size_t i = 0; i < ranks.size(); ++i)
        theirs[i] = workload.graph(ranks[i]).duration(works[i].at(name)[w]);
      const Time middle = lower_median(theirs);
      for (std::size_t i = 0; i < ranks.size(); ++i)
        level_[ranks[i]][works[i].at(name)[w]] = middle;
    }
  }
}

void PeerLevels::level_without_peers(const Workload& workload, std::uint32_t rank) {
  std::map<std::string_view, std::vector<Time>> all;
  for (std::uint32_t r = 0; r < workload.rank_count(); ++r) {
    const Graph& graph = workload.graph(r);
    for (NodeId n = 0; n < graph.size(); ++n)
      if (is_own_work(graph, n) && work_kind(graph, n) != WorkKind::host)
        all[graph.name(n)].push_back(graph.duration(n));
  }
  const Graph& graph = workload.graph(rank);
  std::map<std::string_view, std::size_t> own;
  for (NodeId n = 0; n < graph.size(); ++n) ++own[graph.name(n)];
  std::map<std::string_view, Time> middle;
  for (auto& [name, times] : all) middle[name] = lower_median(times);
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!is_own_work(graph, n) || work_kind(graph, n) == WorkKind::host) continue;
    const std::string_view name = graph.name(n);
    if (all.at(name).size() > own[name]) level_[rank][n] = middle.at(name);
  }
}

Workload with_times(const Workload& workload, const std::vector<std::vector<Time>>& durations) {
  Workload made = workload;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    if (durations[rank] == durations_of(graph)) continue;
    made.graph_of_rank[rank] = static_cast<std::uint32_t>(made.graphs.size());
    made.graphs.push_back(with_durations(graph, durations[rank]));
  }
  drop_unused_graphs(made);
  return made;
}

}  // namespace orrery::graph
