// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/drop_nodes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery::graph {
namespace {

/// By dependency: lag after its end.
using InheritedLags = std::map<std::uint64_t, Time>;

Time longest_lag(const NodeSpec& node, std::uint64_t dep) {
  Time longest{};
  for (const DependencyNote& note : node.notes)
    if (note.dep == dep) longest = std::max(longest, note.lag);
  return longest;
}

}  // namespace

void drop_nodes(std::vector<NodeSpec>& nodes, const std::vector<bool>& dropped,
                const std::vector<NodeId>& order) {
  std::unordered_map<std::uint64_t, InheritedLags> dropped_lags;
  for (const NodeId n : order) {
    NodeSpec& node = nodes[n];
    InheritedLags inherited;
    std::vector<std::uint64_t> remaining;
    for (const std::uint64_t dep : node.deps) {
      const auto found = dropped_lags.find(dep);
      if (found == dropped_lags.end()) {
        remaining.push_back(dep);
        continue;
      }
      for (const auto& [before, lag] : found->second) {
        Time& longest = inherited[before];
        longest = std::max(longest, lag + longest_lag(node, dep));
      }
    }
    if (dropped[n]) {
      for (const std::uint64_t dep : remaining) {
        Time& longest = inherited[dep];
        longest = std::max(longest, longest_lag(node, dep));
      }
      dropped_lags.emplace(node.id, std::move(inherited));
      continue;
    }
    if (remaining.size() == node.deps.size()) continue;
    std::erase_if(node.notes,
                  [&](const DependencyNote& note) { return dropped_lags.contains(note.dep); });
    node.deps = std::move(remaining);
    for (const auto& [before, lag] : inherited) {
      node.deps.push_back(before);
      if (lag > Time{}) node.notes.push_back({before, lag, DependencyKind::unsaid});
    }
  }
  std::size_t place = 0;
  std::erase_if(nodes, [&](const NodeSpec&) { return dropped[place++]; });
}

}  // namespace orrery::graph
