// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/work_difference.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "orrery/core/fnv.h"
#include "orrery/graph/kernel.h"
#include "orrery/graph/transform/rank_subset.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::NodeKind;

/// FNV-1a hash over words, with a mixing step after each.
class Number {
 public:
  Number& add(std::uint64_t word) {
    value_ = fnv1a(value_, word);
    value_ ^= value_ >> 29;
    return *this;
  }
  Number& add(std::int64_t word) { return add(static_cast<std::uint64_t>(word)); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = kFnvOffsetBasis;
};

class Numberer {
 public:
  Numberer(const graph::Workload& workload, std::uint32_t rank)
      : workload_(workload), graph_(workload.graph(rank)), rank_(rank) {}

  /// Hash of a node, regardless of the numbers of the ranks it communicates with.
  [[nodiscard]] std::uint64_t kind(NodeId n) {
    Number number;
    number.add(static_cast<std::uint64_t>(graph_.kind(n)));
    if (graph_.kind(n) == NodeKind::coll) {
      const graph::Collective& collective = graph_.collective(n);
      number.add(static_cast<std::uint64_t>(collective.type)).add(collective.size.count());
      number.add(group(n).members);
    } else if (graph_.kind(n) == NodeKind::send || graph_.kind(n) == NodeKind::recv) {
      number.add(graph_.message(n, rank_).size.count());
    } else if (graph_.kernel(n) != graph::kNoKernel) {
      number.add(hash_of((*graph_.kernels())[graph_.kernel(n)]));
    } else if (graph_.kind(n) != NodeKind::metadata && graph_.kind(n) != NodeKind::invalid) {
      number.add(graph_.work(n).num_ops).add(graph_.work(n).tensor_size.count());
    }
    return number.value();
  }
  /// Hash of the ranks it communicates with.
  [[nodiscard]] std::uint64_t ranks(NodeId n) {
    if (graph_.kind(n) == NodeKind::coll) return group(n).ranks;
    if (graph_.kind(n) == NodeKind::send)
      return Number().add(std::int64_t{graph_.message(n, rank_).dst}).value();
    if (graph_.kind(n) == NodeKind::recv)
      return Number().add(std::int64_t{graph_.message(n, rank_).src}).value();
    return 0;
  }

 private:
  struct Group {
    std::uint64_t members = 0, ranks = 0;
  };
  const Group& group(NodeId n) {
    const auto [known, added] = groups_.try_emplace(graph_.collective(n).group);
    if (added) {
      const auto members =
          graph::members_of(workload_, graph_.string(graph_.collective(n).group), rank_);
      Number number;
      for (const std::uint32_t member : members) number.add(std::uint64_t{member});
      known->second = {members.size(), number.value()};
    }
    return known->second;
  }

  const graph::Workload& workload_;
  const Graph& graph_;
  std::uint32_t rank_;
  std::unordered_map<StringId, Group> groups_;
};

}  // namespace

WorkSignature work_signature(const graph::Workload& workload, std::uint32_t rank) {
  const Graph& graph = workload.graph(rank);
  Numberer numberer(workload, rank);
  WorkSignature made;
  made.sorted.resize(graph.size());
  made.placed.resize(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n) {
    made.sorted[n] = numberer.kind(n);
    made.placed[n] += Number().add(made.sorted[n]).add(numberer.ranks(n)).value();
    for (const NodeId next : graph.successors(n))  // independent of the order
      made.placed[next] += Number().add(std::uint64_t{next - n}).value();
  }
  std::sort(made.sorted.begin(), made.sorted.end());
  return made;
}

WorkDifference difference(const WorkSignature& a, const WorkSignature& b) {
  WorkDifference made;
  auto x = a.sorted.begin(), y = b.sorted.begin();
  while (x != a.sorted.end() && y != b.sorted.end()) {
    if (*x == *y) {
      ++x, ++y;
      continue;
    }
    ++made.other;
    if (*x < *y) {
      ++x;
    } else {
      ++y;
    }
  }
  made.other += static_cast<std::uint64_t>(a.sorted.end() - x + (b.sorted.end() - y));
  const std::size_t both = std::min(a.placed.size(), b.placed.size());
  made.placed = std::max(a.placed.size(), b.placed.size()) - both;
  for (std::size_t i = 0; i < both; ++i) made.placed += a.placed[i] != b.placed[i] ? 1 : 0;
  return made;
}

std::vector<std::uint32_t> distinct_ranks(const graph::Workload& workload) {
  std::vector<std::uint32_t> made;
  std::set<std::uint64_t> known;
  std::vector<bool> seen(workload.graphs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (seen[workload.graph_of_rank[rank]]) continue;
    seen[workload.graph_of_rank[rank]] = true;
    Numberer numberer(workload, rank);
    Number number;
    for (NodeId n = 0; n < workload.graph(rank).size(); ++n) number.add(numberer.kind(n));
    if (known.insert(number.value()).second) made.push_back(rank);
  }
  return made;
}

}  // namespace orrery::study
