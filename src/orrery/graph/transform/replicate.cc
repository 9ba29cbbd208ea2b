// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/replicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/rank_subset.h"

namespace orrery::graph {
namespace {

/// Ranks with traces, ascending.
std::vector<std::uint32_t> ranks_with_traces(const Workload& workload) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    if (!std::binary_search(workload.without_trace.begin(), workload.without_trace.end(), rank))
      ranks.push_back(rank);
  return ranks;
}

bool contains_all_ranks(std::vector<std::uint32_t> members, std::uint32_t ranks) {
  std::sort(members.begin(), members.end());
  bool complete = members.size() == ranks;
  for (std::uint32_t i = 0; complete && i < ranks; ++i) complete = members[i] == i;
  return complete;
}

/// Whether all members have the same data afterwards: the data of each does not depend on the
/// number of members.
bool leaves_equal_data(CollectiveType type) {
  return type == CollectiveType::all_reduce || type == CollectiveType::broadcast ||
         type == CollectiveType::reduce || type == CollectiveType::barrier;
}

/// The collectives and kernels of one rank.
struct RankWork {
  std::vector<NodeId> collectives;                  // in the order of their ids
  std::map<std::string_view, std::uint64_t> works;  // of its device, by name
};

/// Why the rank is not a replica; empty: its own work is consistent with one. Fills `work`.
std::string replica_obstacle(const Workload& workload, std::uint32_t rank, RankWork& work) {
  const Graph& graph = workload.graph(rank);
  for (NodeId n = 0; n < graph.size(); ++n) {
    const NodeKind kind = graph.kind(n);
    if (is_message(kind))
      return fmt::format("rank {} sends and receives messages ({})", rank,
                         in_quotes(graph.name(n)));
    if (work_kind(graph, n) == WorkKind::kernels) ++work.works[graph.name(n)];
    if (kind != NodeKind::coll) continue;
    const Collective& collective = graph.collective(n);
    const std::string_view group = graph.string(collective.group);
    const auto members = members_of(workload, group, rank);
    if (!contains_all_ranks(members, workload.rank_count()))
      return fmt::format("rank {} communicates with {} of {} ranks (process group {})", rank,
                         members.size(), workload.rank_count(), in_quotes(group));
    if (!leaves_equal_data(collective.type))
      return fmt::format("rank {} shards data over other ranks ({} in {})", rank,
                         name(collective.type), in_quotes(graph.name(n)));
    work.collectives.push_back(n);
  }
  return {};
}

std::string describe(const Graph& graph, NodeId n) {
  const Collective& collective = graph.collective(n);
  return fmt::format("{} of {}", name(collective.type), format_bytes(collective.size));
}

/// How the second rank differs from the first; empty: it does not.
std::string difference(const Workload& workload, std::uint32_t first, const RankWork& a,
                       std::uint32_t second, const RankWork& b) {
  const Graph &one = workload.graph(first), &two = workload.graph(second);
  const std::size_t both = std::min(a.collectives.size(), b.collectives.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Collective &x = one.collective(a.collectives[i]), &y = two.collective(b.collectives[i]);
    if (x.type != y.type || x.size != y.size)
      return fmt::format("communication {} of rank {} is {}, that of rank {} {}", i + 1, first,
                         describe(one, a.collectives[i]), second, describe(two, b.collectives[i]));
  }
  if (a.collectives.size() != b.collectives.size())
    return fmt::format("rank {} communicates {} times, rank {} {} times", first,
                       a.collectives.size(), second, b.collectives.size());
  for (const auto* works : {&a.works, &b.works}) {
    for (const auto& entry : *works) {
      const auto count = [&](const RankWork& work) {
        const auto found = work.works.find(entry.first);
        return found == work.works.end() ? std::uint64_t{0} : found->second;
      };
      if (count(a) != count(b))
        return fmt::format("rank {} runs {} kernels {}, rank {} runs {}", first, count(a),
                           in_quotes(entry.first), second, count(b));
    }
  }
  return {};
}

}  // namespace

void replicate(Workload& workload, std::uint32_t ranks) {
  const std::vector<std::uint32_t> recorded = ranks_with_traces(workload);
  std::vector<std::uint32_t> graphs;
  std::vector<std::string> files;
  std::vector<std::shared_ptr<const HostRanges>> ranges;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t like = recorded[rank % recorded.size()];
    graphs.push_back(workload.graph_of_rank[like]);
    files.push_back(workload.files[like]);
    if (like < workload.host_ranges.size()) ranges.push_back(workload.host_ranges[like]);
  }
  workload.host_ranges = std::move(ranges);
  workload.graph_of_rank = std::move(graphs);
  workload.files = std::move(files);
  workload.without_trace.clear();
  for (auto& [name, group] : workload.groups)
    if (!contains_all_ranks(group.ranks, ranks)) group.ranks.clear();
}

Result<void> check_replicas(const Workload& workload, const std::string& where) {
  const std::vector<std::uint32_t> recorded = ranks_with_traces(workload);
  if (workload.rank_count() == 1) return {};
  std::optional<RankWork> first;
  for (const std::uint32_t rank : recorded) {
    RankWork work;
    std::string obstacle = replica_obstacle(workload, rank, work);
    if (first && obstacle.empty())
      obstacle = difference(workload, recorded.front(), *first, rank, work);
    if (!obstacle.empty())
      return fail(Errc::input_unsupported, where,
                  "its ranks are not replicas of one data-parallel job: " + obstacle,
                  "describe the job with --spec or --model");
    if (!first) first = std::move(work);
  }
  return {};
}

}  // namespace orrery::graph
