// SPDX-License-Identifier: Apache-2.0
//
// No dependency leads back in time, and none closes a cycle. The chains of threads, launches and
// the order of streams cannot: nothing leads from a device to a thread, and `at` never falls along
// them. What is added to them may only lead forward in `at`; where both ends are equal (clocks of
// whole microseconds, nodes without times) the order is found out.
#include <algorithm>
#include <numeric>
#include <string>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

std::string tell(const DependencyDraft& draft, const DraftEdge& edge) {
  const Profile& profile = draft.profile;
  return profile.where + ": \"" + std::string(profile.name(draft.nodes[edge.to])) +
         "\" waits for \"" + std::string(profile.name(draft.nodes[edge.from])) + '"';
}

/// Which nodes are left when everything that can be ordered is taken away: those on cycles and
/// after them. Only edges between equal times count.
std::vector<bool> find_stuck(const DependencyDraft& draft) {
  const std::size_t n = draft.nodes.size();
  std::vector<std::uint32_t> waiting(n, 0), first(n + 1, 0);
  const auto for_each = [&](const auto& each) {
    for (std::uint32_t lane = 0; lane < draft.profile.lanes.size(); ++lane) {
      if (draft.profile.lanes[lane].device) continue;
      for (NodePosition p = draft.lane_offsets[lane] + 1; p < draft.lane_offsets[lane + 1]; ++p)
        if (draft.at[p - 1] == draft.at[p]) each(p - 1, p);
    }
    for (const DraftEdge& edge : draft.edges)
      if (draft.at[edge.from] == draft.at[edge.to]) each(edge.from, edge.to);
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
  std::vector<bool> stuck(n, true);
  while (!free.empty()) {
    const NodePosition p = free.back();
    free.pop_back();
    stuck[p] = false;
    for (std::uint32_t i = first[p]; i < first[p + 1]; ++i)
      if (--waiting[next[i]] == 0) free.push_back(next[i]);
  }
  return stuck;
}

}  // namespace

void drop_contradictions(DependencyDraft& draft) {
  const auto extra = draft.edges.begin() + static_cast<std::ptrdiff_t>(draft.first_extra);
  bool equal = false;
  const auto drop = [&](const auto& wrong) {
    const auto retained = std::stable_partition(
        extra, draft.edges.end(), [&](const DraftEdge& edge) { return !wrong(edge); });
    for (auto edge = retained; edge != draft.edges.end(); ++edge)
      draft.findings.add(FindingCode::dependency_contradicts_time, tell(draft, *edge));
    draft.edges.erase(retained, draft.edges.end());
  };
  drop([&](const DraftEdge& edge) {
    equal = equal || draft.at[edge.from] == draft.at[edge.to];
    return draft.at[edge.from] > draft.at[edge.to];
  });
  if (!equal) return;
  const std::vector<bool> stuck = find_stuck(draft);
  drop([&](const DraftEdge& edge) {
    return draft.at[edge.from] == draft.at[edge.to] && stuck[edge.from] && stuck[edge.to];
  });
}

}  // namespace orrery::profile::draft
