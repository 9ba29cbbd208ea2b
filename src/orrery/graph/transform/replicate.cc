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

/// Ascending.
std::vector<std::uint32_t> ranks_with_traces(const Workload& workload) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    if (!std::binary_search(workload.without_trace.begin(), workload.without_trace.end(), rank))
      ranks.push_back(rank);
  return ranks;
}

bool are_everybody(std::vector<std::uint32_t> members, std::uint32_t ranks) {
  std::sort(members.begin(), members.end());
  bool everybody = members.size() == ranks;
  for (std::uint32_t i = 0; everybody && i < ranks; ++i) everybody = members[i] == i;
  return everybody;
}

/// Afterwards all members have the same: how much each holds does not depend on how many there are.
bool makes_replicas(CollectiveType type) {
  return type == CollectiveType::all_reduce || type == CollectiveType::broadcast ||
         type == CollectiveType::reduce || type == CollectiveType::barrier;
}

/// What one rank does.
struct Done {
  std::vector<NodeId> collectives;                  // in the order of their ids
  std::map<std::string_view, std::uint64_t> works;  // of its device, by name
};

/// How ranks are no replicas; empty: as far as this one alone says, they are.
std::string look_at(const Workload& workload, std::uint32_t rank, Done& done) {
  const Graph& graph = workload.graph(rank);
  for (NodeId n = 0; n < graph.size(); ++n) {
    const NodeKind kind = graph.kind(n);
    if (kind == NodeKind::send || kind == NodeKind::recv)
      return fmt::format("rank {} sends and receives messages ({})", rank,
                         in_quotes(graph.name(n)));
    if (time_of(graph, n) == WorkKind::kernels) ++done.works[graph.name(n)];
    if (kind != NodeKind::coll) continue;
    const Collective& collective = graph.collective(n);
    const std::string_view group = graph.string(collective.group);
    const auto members = members_of(workload, group, rank);
    if (!are_everybody(members, workload.rank_count()))
      return fmt::format("rank {} communicates with {} of {} ranks (process group {})", rank,
                         members.size(), workload.rank_count(), in_quotes(group));
    if (!makes_replicas(collective.type))
      return fmt::format("rank {} has shares of what others have ({} in {})", rank,
                         name(collective.type), in_quotes(graph.name(n)));
    done.collectives.push_back(n);
  }
  return {};
}

std::string words_of(const Graph& graph, NodeId n) {
  const Collective& collective = graph.collective(n);
  return fmt::format("{} of {}", name(collective.type), format_bytes(collective.size));
}

/// Where the second is not what the first is; empty: nowhere.
std::string other_than(const Workload& workload, std::uint32_t first, const Done& a,
                       std::uint32_t second, const Done& b) {
  const Graph &one = workload.graph(first), &two = workload.graph(second);
  const std::size_t both = std::min(a.collectives.size(), b.collectives.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Collective &x = one.collective(a.collectives[i]), &y = two.collective(b.collectives[i]);
    if (x.type != y.type || x.size != y.size)
      return fmt::format("communication {} of rank {} is {}, that of rank {} {}", i + 1, first,
                         words_of(one, a.collectives[i]), second, words_of(two, b.collectives[i]));
  }
  if (a.collectives.size() != b.collectives.size())
    return fmt::format("rank {} communicates {} times, rank {} {} times", first,
                       a.collectives.size(), second, b.collectives.size());
  for (const auto* works : {&a.works, &b.works}) {
    for (const auto& entry : *works) {
      const auto count = [&](const Done& done) {
        const auto found = done.works.find(entry.first);
        return found == done.works.end() ? std::uint64_t{0} : found->second;
      };
      if (count(a) != count(b))
        return fmt::format("rank {} has {} works {}, rank {} {}", first, count(a),
                           in_quotes(entry.first), second, count(b));
    }
  }
  return {};
}

}  // namespace

void replicate(Workload& workload, std::uint32_t ranks) {
  const std::vector<std::uint32_t> there = ranks_with_traces(workload);
  std::vector<std::uint32_t> graphs;
  std::vector<std::string> files;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t like = there[rank % there.size()];
    graphs.push_back(workload.graph_of_rank[like]);
    files.push_back(workload.files[like]);
  }
  workload.graph_of_rank = std::move(graphs);
  workload.files = std::move(files);
  workload.without_trace.clear();
  for (auto& [name, group] : workload.groups)
    if (!are_everybody(group.ranks, ranks)) group.ranks.clear();
}

Result<void> check_replicas(const Workload& workload, const std::string& where) {
  const std::vector<std::uint32_t> there = ranks_with_traces(workload);
  if (workload.rank_count() == 1) return {};
  std::optional<Done> first;
  for (const std::uint32_t rank : there) {
    Done done;
    std::string wrong = look_at(workload, rank, done);
    if (first && wrong.empty()) wrong = other_than(workload, there.front(), *first, rank, done);
    if (!wrong.empty())
      return fail(Errc::input_unsupported, where,
                  "its ranks are no replicas of one data-parallel job: " + wrong,
                  "--spec or --model says what is trained and how");
    if (!first) first = std::move(done);
  }
  return {};
}

}  // namespace orrery::graph
