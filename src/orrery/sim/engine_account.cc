// SPDX-License-Identifier: Apache-2.0
//
// Where the time goes: unions of intervals per rank, totals per collective.
#include <limits>

#include "orrery/sim/engine.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

// Adds the time since the last change to whatever was going on.
void Engine::account(std::uint32_t rank, std::int64_t until) {
  RankState& state = states_[rank];
  RankResult& result = seats_[rank];
  const Time passed(until - state.since);
  if (passed == Time{}) return;
  if (state.awaited > 0) keep_span(rank, until);
  state.since = until;
  if (state.computing > 0) result.compute += passed;
  if (state.computing > 0 && (state.communicating > 0 || state.remembering > 0))
    result.overlapped += passed;
  if (state.communicating > 0) result.comm += passed;
  if (state.remembering > 0) result.memory += passed;
  if (state.computing > 0) return;
  if (state.communicating > 0) {
    result.comm_only += passed;
  } else if (state.remembering > 0) {
    result.memory_only += passed;
  } else {
    result.idle += passed;
  }
}

// Counted once for each rank that `rank` stands for.
void Engine::add_time(CollectiveTotal& total, std::uint32_t rank, std::int64_t time) const {
  const auto times = static_cast<std::int64_t>(weight(rank));
  const bool fits = time <= std::numeric_limits<std::int64_t>::max() / times;
  total.time = saturating_sum(total.time,
                              Time(fits ? time * times : std::numeric_limits<std::int64_t>::max()));
}

void Engine::count_node(std::uint32_t rank, NodeId node, int step) {
  RankState& state = states_[rank];
  const graph::Graph& graph = graph_of(rank);
  const NodeKind kind = graph.kind(node);
  switch (kind) {
    case NodeKind::comp:
      state.computing += step;
      return;
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      state.remembering += step;
      return;
    case NodeKind::recv:  // counts from when its message is on the way: see receive_begins
      if (platform_.replay_only) state.communicating += step;
      break;
    case NodeKind::send:
    case NodeKind::coll:
      state.communicating += step;
      break;
    default:
      return;
  }
  const bool collective = kind == NodeKind::coll;
  std::uint32_t members = 2;
  if (collective) {
    const StringId group = graph.collective(node).group;
    const std::uint32_t found = group == StringId::empty
                                    ? Communicators::kUnknown
                                    : meanings_.of(communicators_, graph, group).of(real(rank));
    members = communicators_[found >= Communicators::kOutside ? 0 : found].members;
  }
  CollectiveTotal& total = collective
                               ? totals_at_hand_.of(totals_, graph.collective(node).type, members)
                               : totals_at_hand_.of(totals_, kind);
  if (step > 0) {
    total.operations += weight(rank);
    const Bytes size = collective ? graph.collective(node).size : graph.point_to_point(node).size;
    total.bytes += static_cast<std::uint64_t>(size.count()) * weight(rank);
    return;
  }
  if (kind != NodeKind::recv || platform_.replay_only)
    add_time(total, rank, now() - times_of(rank, node).start);
}

}  // namespace orrery::sim
