// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/drop_nodes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery::graph {
namespace {

/// By whom it waits for: how long after that one's end.
using HandedOn = std::map<std::uint64_t, Time>;

Time lag_kind(const NodeSpec& node, std::uint64_t dep) {
  Time longest{};
  for (const DependencyNote& note : node.notes)
    if (note.dep == dep) longest = std::max(longest, note.lag);
  return longest;
}

}  // namespace

void drop_nodes(std::vector<NodeSpec>& nodes, const std::vector<bool>& dropped,
                const std::vector<NodeId>& order) {
  std::unordered_map<std::uint64_t, HandedOn> gone;
  for (const NodeId n : order) {
    NodeSpec& node = nodes[n];
    HandedOn waits;
    std::vector<std::uint64_t> left;
    for (const std::uint64_t dep : node.deps) {
      const auto found = gone.find(dep);
      if (found == gone.end()) {
        left.push_back(dep);
        continue;
      }
      for (const auto& [before, lag] : found->second) {
        Time& longest = waits[before];
        longest = std::max(longest, lag + lag_kind(node, dep));
      }
    }
    if (dropped[n]) {
      for (const std::uint64_t dep : left) {
        Time& longest = waits[dep];
        longest = std::max(longest, lag_kind(node, dep));
      }
      gone.emplace(node.id, std::move(waits));
      continue;
    }
    if (left.size() == node.deps.size()) continue;
    std::erase_if(node.notes, [&](const DependencyNote& note) { return gone.contains(note.dep); });
    node.deps = std::move(left);
    for (const auto& [before, lag] : waits) {
      node.deps.push_back(before);
      if (lag > Time{}) node.notes.push_back({before, lag, DependencyKind::unsaid});
    }
  }
  std::size_t place = 0;
  std::erase_if(nodes, [&](const NodeSpec&) { return dropped[place++]; });
}

}  // namespace orrery::graph
