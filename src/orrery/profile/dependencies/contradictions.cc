// SPDX-License-Identifier: Apache-2.0
//
// Ensures that no dependency leads backwards in time or closes a cycle. Thread chains, launches and
// stream order cannot: no such edge leads from a device to a thread, and `ends` never decreases
// along them. Additional edges must lead forward in `ends`. If both ends are equal (clocks with
// whole microseconds, nodes without times), a topological sort decides.
#include <algorithm>
#include <numeric>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

/// Nodes that a topological sort cannot order: those on cycles and after them. Uses only edges
/// between equal times.
std::vector<bool> find_unordered(const DependencyDraft& draft) {
  const std::size_t n = draft.nodes.size();
  std::vector<std::uint32_t> waiting(n, 0), first(n + 1, 0);
  const auto for_each = [&](const auto& each) {
    for (std::uint32_t lane = 0; lane < draft.profile.lanes.size(); ++lane) {
      if (draft.profile.lanes[lane].device) continue;
      for (NodePosition p = draft.lane_offsets[lane] + 1; p < draft.lane_offsets[lane + 1]; ++p)
        if (draft.ends[p - 1] == draft.ends[p]) each(p - 1, p);
    }
    for (const DraftEdge& edge : draft.edges)
      if (draft.ends[edge.from] == draft.ends[edge.to]) each(edge.from, edge.to);
  };
  for_each([&](NodePosition from, NodePosition to) {
    ++waiting[to];
    ++first[from + 1];
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<NodePosition> next(first.back());
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for_each([&](NodePosition from, NodePosition to) { next[fill[from]++] = to; });
  std::vector<NodePosition> free;
  for (NodePosition p = 0; p < n; ++p)
    if (waiting[p] == 0) free.push_back(p);
  std::vector<bool> unordered(n, true);
  while (!free.empty()) {
    const NodePosition p = free.back();
    free.pop_back();
    unordered[p] = false;
    for (std::uint32_t i = first[p]; i < first[p + 1]; ++i)
      if (--waiting[next[i]] == 0) free.push_back(next[i]);
  }
  return unordered;
}

}  // namespace

void drop_contradictions(DependencyDraft& draft) {
  const auto extra = draft.edges.begin() + static_cast<std::ptrdiff_t>(draft.first_extra);
  bool equal = false;
  const auto drop = [&](const auto& contradicts) {
    const auto retained = std::stable_partition(
        extra, draft.edges.end(), [&](const DraftEdge& edge) { return !contradicts(edge); });
    for (auto edge = retained; edge != draft.edges.end(); ++edge)
      draft.findings.add(FindingCode::dependency_contradicts_time,
                         wait_place(draft.profile, draft.nodes[edge->to], draft.nodes[edge->from]));
    draft.edges.erase(retained, draft.edges.end());
  };
  drop([&](const DraftEdge& edge) {
    equal = equal || draft.ends[edge.from] == draft.ends[edge.to];
    return draft.ends[edge.from] > draft.ends[edge.to];
  });
  if (!equal) return;
  const std::vector<bool> unordered = find_unordered(draft);
  drop([&](const DraftEdge& edge) {
    return draft.ends[edge.from] == draft.ends[edge.to] && unordered[edge.from] &&
           unordered[edge.to];
  });
}

}  // namespace orrery::profile::draft
