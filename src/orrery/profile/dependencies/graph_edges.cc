// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/dependencies/graph_edges.h"

#include <algorithm>

namespace orrery::profile::draft {
namespace {

/// True if no node waits for `from`.
bool is_leaf(const std::vector<std::pair<EventId, EventId>>& edges, EventId from) {
  const auto found = std::lower_bound(edges.begin(), edges.end(), std::make_pair(from, EventId{0}));
  return found == edges.end() || found->first != from;
}

}  // namespace

GraphOrder::GraphOrder(const Profile& profile) : profile_(profile) {
  std::vector<std::pair<EventId, EventId>> turned;
  turned.reserve(profile.graph_edges.size());
  for (const auto& [from, to] : profile.graph_edges) turned.emplace_back(to, from);
  std::sort(turned.begin(), turned.end());
  to_.reserve(turned.size());
  from_.reserve(turned.size());
  for (const auto& [to, from] : turned) {
    to_.push_back(to);
    from_.push_back(from);
  }
}

bool GraphOrder::orders(EventId work) const {
  return !to_.empty() && (!before(work).empty() || !is_leaf(profile_.graph_edges, work));
}

std::span<const EventId> GraphOrder::before(EventId work) const {
  const auto [first, last] = std::equal_range(to_.begin(), to_.end(), work);
  return {from_.data() + (first - to_.begin()), static_cast<std::size_t>(last - first)};
}

void connect_graphs(DependencyDraft& draft) {
  for (const auto& [from, to] : draft.profile.graph_edges)
    draft.add(from, to, DependencyKind::stream_wait, false);
}

}  // namespace orrery::profile::draft
