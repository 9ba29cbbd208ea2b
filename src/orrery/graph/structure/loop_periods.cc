// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/loop_periods.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/structure/topological_order.h"

namespace orrery::graph {
namespace {

/// Position on the spine, by node; kNowhere: none.
using Positions = std::vector<std::int64_t>;
constexpr std::int64_t kNowhere = -1;

Positions by_id(const Graph& graph, const Spine& spine) {
  Positions made(graph.size(), kNowhere);
  std::size_t next = 0;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (next < spine.works.size() && spine.works[next] == n) ++next;
    made[n] = static_cast<std::int64_t>(next) - 1;
  }
  return made;
}

/// Host nodes get the position of the next work that they launch, directly or through their thread.
void place_hosts(const Graph& graph, const std::vector<NodeId>& order, Positions& made) {
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const NodeId n = *at;
    if (made[n] != kNowhere || !graph.is_cpu(n)) continue;
    const auto after = graph.successors(n);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const DependencyKind kind = edge_kind(graph, n, i);
      if (kind != DependencyKind::launch && kind != DependencyKind::thread) continue;
      const std::int64_t next = made[after[i]];
      if (next != kNowhere && (made[n] == kNowhere || next < made[n])) made[n] = next;
    }
  }
}

/// Other nodes get the position of the last work that they wait for.
void place_others(const Graph& graph, const std::vector<NodeId>& order, Positions& made) {
  std::vector<bool> fixed(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n) fixed[n] = made[n] != kNowhere;
  for (const NodeId n : order) {
    if (made[n] == kNowhere) continue;
    for (const NodeId next : graph.successors(n))
      if (!fixed[next]) made[next] = std::max(made[next], made[n]);
  }
}

Positions positions(const Graph& graph, const Spine& spine) {
  if (graph.lanes().empty()) return by_id(graph, spine);
  Positions made(graph.size(), kNowhere);
  for (std::size_t i = 0; i < spine.works.size(); ++i)
    made[spine.works[i]] = static_cast<std::int64_t>(i);
  const std::vector<NodeId> order = runnable_order(graph);
  if (graph.has_device()) place_hosts(graph, order, made);
  place_others(graph, order, made);
  return made;
}

}  // namespace

LoopPeriods::LoopPeriods(const Graph& graph, const Spine& spine, std::span<const Loop> loops,
                         NodeClasses& symbols)
    : loops_(loops.begin(), loops.end()), places_(graph.size()) {
  std::sort(loops_.begin(), loops_.end(),
            [](const Loop& a, const Loop& b) { return a.first < b.first; });
  std::vector<std::uint32_t> loop_of(spine.works.size(), kNoLoop);
  std::size_t periods = 0;
  for (std::uint32_t loop = 0; loop < loops_.size(); ++loop) {
    first_period_.push_back(periods);
    periods += loops_[loop].times;
    std::fill(loop_of.begin() + static_cast<std::ptrdiff_t>(loops_[loop].first),
              loop_of.begin() + static_cast<std::ptrdiff_t>(loops_[loop].end()), loop);
  }
  nodes_.resize(periods);
  const Positions at = positions(graph, spine);
  using Key = std::tuple<std::uint32_t, NodeKind, std::uint32_t>;  // lane, kind, name
  std::map<std::pair<Key, std::uint32_t>, std::uint32_t> slots;    // and occurrence
  std::map<std::pair<std::size_t, Key>, std::uint32_t> seen;  // occurrences of each key in a period
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (at[n] == kNowhere) continue;
    const auto position = static_cast<std::size_t>(at[n]);
    const std::uint32_t loop = loop_of[position];
    if (loop == kNoLoop) continue;
    LoopPlace& place = places_[n];
    place.loop = loop;
    place.period =
        static_cast<std::uint32_t>((position - loops_[loop].first) / loops_[loop].period);
    const std::size_t period = first_period_[loop] + place.period;
    const Key key{graph.lane(n), graph.kind(n), symbols.of_name(n)};
    const auto next = static_cast<std::uint32_t>(slots.size());
    place.slot = slots.try_emplace({key, seen[{period, key}]++}, next).first->second;
    nodes_[period].push_back(n);
    by_slot_.emplace(std::uint64_t{period} << 32 | place.slot, n);
  }
}

NodeId LoopPeriods::at(std::uint32_t loop, std::int64_t period, std::uint32_t slot) const {
  if (period < 0 || period >= loops_[loop].times) return kNoNode;
  const std::size_t number = first_period_[loop] + static_cast<std::size_t>(period);
  const auto found = by_slot_.find(std::uint64_t{number} << 32 | slot);
  return found == by_slot_.end() ? kNoNode : found->second;
}

}  // namespace orrery::graph
