// SPDX-License-Identifier: Apache-2.0
//
// What recorded traces say of nodes and dependencies besides: where a node ran, why it waited, and
// how long.
#include <algorithm>

#include "orrery/graph/builder.h"
#include "orrery/graph/columns.h"

namespace orrery::graph {
namespace {

/// Where a value stands in a table, to which it is added where it is new.
template <class T>
std::uint32_t place_in(std::vector<T>& table, std::map<T, std::uint32_t>& places, const T& value) {
  const auto next = static_cast<std::uint32_t>(table.size());
  const auto [known, added] = places.try_emplace(value, next);
  if (added) table.push_back(value);
  return known->second;
}

}  // namespace

std::uint32_t GraphBuilder::number_of(const std::optional<Lane>& lane) {
  return lane ? place_in(columns_.lanes, lane_numbers_, *lane) : kNoLane;
}

void GraphBuilder::fill_lanes(ContentHash& hash) {
  columns_.lane_numbers.resize(node_count());
  for (NodeId n = 0; n < node_count(); ++n) {
    columns_.lane_numbers[n] = lanes_[order_.empty() ? n : order_[n]];
    hash.add(std::uint64_t{columns_.lane_numbers[n]});
  }
  for (const Lane& lane : columns_.lanes) {
    hash.add(static_cast<std::uint64_t>(lane.id));
    hash.add(std::uint64_t{static_cast<std::uint32_t>(lane.device)} << 32 |
             std::uint64_t{lane.row} << 1 | (lane.host ? 1 : 0));
  }
  lanes_ = {};
  lane_numbers_ = {};
}

std::uint32_t GraphBuilder::number_of(const StepScope& scope) {
  return place_in(columns_.scopes, scope_numbers_, scope);
}

void GraphBuilder::fill_scopes(ContentHash& hash) {
  columns_.scope_numbers.resize(node_count());
  for (NodeId n = 0; n < node_count(); ++n) {
    columns_.scope_numbers[n] = scopes_[order_.empty() ? n : order_[n]];
    hash.add(std::uint64_t{columns_.scope_numbers[n]});
  }
  for (const StepScope& scope : columns_.scopes) {
    hash.add(std::uint64_t{static_cast<std::uint32_t>(scope.step)} << 32 |
             static_cast<std::uint32_t>(scope.layer));
    hash.add(static_cast<std::uint64_t>(scope.phase));
  }
  scopes_ = {};
  scope_numbers_ = {};
}

std::uint32_t GraphBuilder::find_edge(NodeId from, NodeId to) const {
  const std::uint32_t first = columns_.first_succ[from];
  const std::uint32_t place =
      place_among({columns_.succ.data() + first, columns_.first_succ[from + 1] - first}, to);
  return place == kNoNode ? kNoNode : first + place;
}

void GraphBuilder::fill_notes(ContentHash& hash) {
  const bool lags = std::any_of(notes_.begin(), notes_.end(),
                                [](const EdgeNote& note) { return note.lag > Time{}; });
  const bool kinds = std::any_of(notes_.begin(), notes_.end(), [](const EdgeNote& note) {
    return note.kind != DependencyKind::unsaid;
  });
  if (lags) columns_.lags.resize(columns_.succ.size());
  if (kinds) columns_.edge_kinds.resize(columns_.succ.size());
  std::vector<NodeId> node_at;  // by position
  if (!order_.empty()) {
    node_at.assign(nodes_.size(), kNoNode);
    for (NodeId n = 0; n < node_count(); ++n) node_at[order_[n]] = n;
  }
  for (std::size_t run = 0; run < note_runs_.size(); ++run) {
    const std::uint32_t position = note_runs_[run].position;
    const NodeId to = order_.empty() ? position : node_at[position];
    if (to == kNoNode) continue;  // its id was used before
    const std::size_t end = run + 1 < note_runs_.size() ? note_runs_[run + 1].first : notes_.size();
    for (std::size_t i = note_runs_[run].first; i < end; ++i) {
      const NodeId from = find(notes_[i].dep);
      const std::uint32_t edge = from == kNoNode ? kNoNode : find_edge(from, to);
      if (edge == kNoNode) continue;
      if (lags) columns_.lags[edge] = std::max(columns_.lags[edge], notes_[i].lag);
      if (kinds && columns_.edge_kinds[edge] == DependencyKind::unsaid)
        columns_.edge_kinds[edge] = notes_[i].kind;
    }
  }
  for (const Time lag : columns_.lags) hash.add(static_cast<std::uint64_t>(lag.count()));
  for (const DependencyKind kind : columns_.edge_kinds) hash.add(static_cast<std::uint64_t>(kind));
  notes_ = {};
  note_runs_ = {};
}

}  // namespace orrery::graph
