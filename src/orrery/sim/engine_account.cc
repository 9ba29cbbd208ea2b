// SPDX-License-Identifier: Apache-2.0
//
// Where the time goes: unions of intervals per rank, totals per collective.
#include <limits>
#include <utility>

#include "orrery/sim/engine.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

// Adds the time since the last change to whatever was going on.
void Engine::account(std::uint32_t rank, std::int64_t until) {
  RankState& state = run_.ground.states[rank];
  RankResult& result = run_.ground.seats[rank];
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
  const auto times = static_cast<std::int64_t>(run_.weight(rank));
  const bool fits = time <= std::numeric_limits<std::int64_t>::max() / times;
  total.time = saturating_sum(total.time,
                              Time(fits ? time * times : std::numeric_limits<std::int64_t>::max()));
}

const Communicator& Engine::meant_by(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const StringId group = graph.collective(node).group;
  const std::uint32_t found =
      group == StringId::empty ? Communicators::kUnknown
                               : meanings_.of(run_.communicators, graph, group).of(run_.real(rank));
  return run_.communicators[found >= Communicators::kOutside ? 0 : found];
}

CollectiveTotal& Engine::total_of(std::uint32_t rank, NodeId node) {
  const graph::CollectiveType type = run_.graph_of(rank).collective(node).type;
  return totals_at_hand_.of(totals_, type, meant_by(rank, node).members);
}

// Of a collective over some dimensions, among those that differ in them.
Bytes Engine::buffer_of(const graph::Graph& graph, NodeId node, const Communicator& group) const {
  const graph::Collective& collective = graph.collective(node);
  std::uint64_t members = group.members;
  if (graph.has(node, graph::kHasDims) && !group.listed) {
    members = 1;
    for (std::size_t d = 0; d < run_.fabric.dim_count() && d < 32; ++d) {
      if ((collective.dims_mask >> d & 1u) != 0)
        members *= static_cast<std::uint64_t>(run_.fabric.dim(d).size);
    }
  }
  return graph::whole_buffer(collective.type, collective.size, members);
}

// What one rank has put on the network for a collective.
void Engine::count_sent(std::uint32_t rank, NodeId node, std::uint64_t bytes) {
  total_of(rank, node).sent += bytes * run_.weight(rank);
  if (run_.recorder) run_.recorder->sent(rank, node, bytes);
}

// Collectives that never end have sent something, too.
void Engine::count_sent_so_far() {
  for (CollectiveOp& op : ops_) {
    if (op.sent > 0) count_sent(op.rank, op.node, std::exchange(op.sent, 0));
  }
}

void Engine::count_node(std::uint32_t rank, NodeId node, int step) {
  RankState& state = run_.ground.states[rank];
  const graph::Graph& graph = run_.graph_of(rank);
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
      if (run_.platform.replay_only) state.communicating += step;
      break;
    case NodeKind::send:
    case NodeKind::coll:
      state.communicating += step;
      break;
    default:
      return;
  }
  const Communicator* const group = kind == NodeKind::coll ? &meant_by(rank, node) : nullptr;
  CollectiveTotal& total =
      group != nullptr ? totals_at_hand_.of(totals_, graph.collective(node).type, group->members)
                       : totals_at_hand_.of(totals_, kind);
  if (step > 0) {
    total.operations += run_.weight(rank);
    const Bytes size =
        group != nullptr ? buffer_of(graph, node, *group) : graph.point_to_point(node).size;
    total.bytes += static_cast<std::uint64_t>(size.count()) * run_.weight(rank);
    return;
  }
  if (kind != NodeKind::recv || run_.platform.replay_only)
    add_time(total, rank, run_.now() - run_.times_of(rank, node).start);
}

}  // namespace orrery::sim
