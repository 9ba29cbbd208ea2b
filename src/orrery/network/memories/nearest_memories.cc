// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/memories/nearest_memories.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace orrery::model {

using platform::LinkIndex;
using platform::NodeClass;
using platform::NodeIndex;

namespace {

/// Distinct sets of numbers, with a cache of their unions.
class MemorySets {
 public:
  explicit MemorySets(std::vector<std::vector<std::uint32_t>>& all) : all_(all) { (void)id_of({}); }

  std::uint32_t id_of(std::vector<std::uint32_t> set) {
    const auto [found, added] =
        numbers_.try_emplace(std::move(set), static_cast<std::uint32_t>(all_.size()));
    if (added) all_.push_back(found->first);
    return found->second;
  }
  std::uint32_t union_of(std::uint32_t a, std::uint32_t b) {
    if (a == b) return a;
    const auto known = unions_.find({std::min(a, b), std::max(a, b)});
    if (known != unions_.end()) return known->second;
    std::vector<std::uint32_t> made;
    std::set_union(all_[a].begin(), all_[a].end(), all_[b].begin(), all_[b].end(),
                   std::back_inserter(made));
    const std::uint32_t one = id_of(std::move(made));
    unions_[{std::min(a, b), std::max(a, b)}] = one;
    return one;
  }

 private:
  std::vector<std::vector<std::uint32_t>>& all_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> unions_;
};

}  // namespace

// Visits nodes by distance, so that the set of a node is complete before its neighbors use it.
NearestMemories::NearestMemories(const platform::Topology& topology,
                                 std::span<const NodeIndex> memories, const std::vector<bool>& down)
    : set_of_(topology.node_count(), 0) {
  constexpr auto kUnreached = std::numeric_limits<std::uint32_t>::max();
  MemorySets memory_sets(sets_);
  std::vector<std::uint32_t> distance(topology.node_count(), kUnreached);
  std::vector<std::vector<NodeIndex>> by_distance(1);
  for (std::uint32_t i = 0; i < memories.size(); ++i) {
    set_of_[memories[i]] = memory_sets.id_of({i});
    distance[memories[i]] = 0;
    by_distance[0].push_back(memories[i]);
  }
  for (std::uint32_t far = 0; far < by_distance.size(); ++far) {
    for (std::size_t i = 0; i < by_distance[far].size(); ++i) {
      const NodeIndex here = by_distance[far][i];
      if (distance[here] != far) continue;
      const std::uint32_t next = far + (topology.kind(here) == NodeClass::device ? 2 : 1);
      const auto [first, last] = topology.out(here);
      for (LinkIndex link = first; link < last; ++link) {
        const NodeIndex there = topology.link(link).to;
        if ((!down.empty() && down[link]) || distance[there] < next) continue;
        if (distance[there] == next) {
          set_of_[there] = memory_sets.union_of(set_of_[there], set_of_[here]);
          continue;
        }
        distance[there] = next;
        set_of_[there] = set_of_[here];
        if (by_distance.size() <= next) by_distance.resize(next + std::size_t{1});
        by_distance[next].push_back(there);
      }
    }
  }
}

}  // namespace orrery::model
