// SPDX-License-Identifier: Apache-2.0
//
// Loads into the cache what the next messages read. Nothing here affects results.
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/run/prefetch.h"

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {

// If at most so many events come before an event, its ranks are loaded, and then their nodes.
constexpr std::size_t kBeforeRanks = 32, kBeforeNodes = 8;

/// The key of a send or receive of `self`, if it states all attributes and no rank is folded.
MessageKey likely_key(const EngineRun& run, const graph::Graph& graph, std::uint32_t self,
                      NodeId node) {
  const graph::PointToPoint message = graph.message(node, self);
  const bool sends = graph.kind(node) == NodeKind::send;
  const std::uint64_t tag = run.policy.tags != 0 ? message.tag % run.policy.tags : message.tag;
  return {tag, sends ? self : static_cast<std::uint32_t>(message.src),
          sends ? static_cast<std::uint32_t>(message.dst) : self, message.size.count()};
}

/// Calls `act` with the likely key of each send that depends on this node.
template <class Act>
void each_next_send(const EngineRun& run, const Endpoint& who, const Act& act) {
  const graph::Graph& graph = run.graph_of(who.rank);
  for (const NodeId next : graph.successors(who.node)) {
    if (graph.kind(next) == NodeKind::send) act(likely_key(run, graph, run.real(who.rank), next));
  }
}

}  // namespace

void P2pMessages::prefetch_mailbox(std::uint32_t rank, NodeId node) const {
  state_.mailboxes.prefetch(likely_key(run_, run_.graph_of(rank), run_.real(rank), node));
}

// A send begins: the sends after it begin when it ends.
void P2pMessages::prefetch_next_sends(const Endpoint& who) const {
  if (!run_.prefetches() || who.custom != kNone) return;
  each_next_send(run_, who, [&](const MessageKey& key) { state_.mailboxes.prefetch(key); });
}

void P2pMessages::prefetch_end(const Endpoint& who) const {
  const SharedState& shared = run_.shared;
  prefetch_lines<2 * sizeof(ResourceLane)>(shared.states[who.rank].lanes.data());
  prefetch_lines(&run_.graph_of(who.rank).kinds()[who.node]);
  if (run_.pages != nullptr) return;
  const std::size_t place = shared.layout.index(who.rank, who.node);
  prefetch_lines(&shared.times[place]);
  prefetch_lines(&shared.waits[place]);
}

// Returns the receive that waits for the message; null: unknown.
const Receive* P2pMessages::prefetch_receiver(const MessageKey& key) const {
  const Mailbox* const box = state_.mailboxes.at_home(key);
  if (box == nullptr || box->first == kNone) return nullptr;
  const Receive& receive = state_.receives[box->first];
  prefetch_lines<sizeof(Receive)>(&receive);
  prefetch_lines(&state_.next_receive[box->first]);
  const SharedState& shared = run_.shared;
  const std::uint32_t to = run_.folded_workload.rank_for(key.dst);
  prefetch_lines<sizeof(RankState)>(&shared.states[to]);
  prefetch_lines<sizeof(RankResult)>(&shared.results[to]);
  prefetch_lines<sizeof(graph::Graph)>(&run_.graph_of(to));
  return &receive;
}

void P2pMessages::prefetch(const Event& event, std::size_t before) const {
  if (event.kind != EventKind::p2p_deliver) return;
  const P2pMessage& message = state_.messages[event.first];
  if (before > kBeforeRanks) return prefetch_lines<sizeof(P2pMessage)>(&message);
  const std::uint32_t from = message.sender.rank;
  if (before > kBeforeNodes) {
    state_.mailboxes.prefetch(message.key);
    prefetch_lines<sizeof(RankState)>(&run_.shared.states[from]);
    prefetch_lines<sizeof(RankResult)>(&run_.shared.results[from]);
    prefetch_lines<sizeof(graph::Graph)>(&run_.graph_of(from));
    return;
  }
  if (message.sender.custom != kNone) return;
  prefetch_end(message.sender);
  const Receive* const receive = prefetch_receiver(message.key);
  if (receive != nullptr && receive->who.custom == kNone) prefetch_end(receive->who);
  each_next_send(run_, message.sender,
                 [&](const MessageKey& key) { (void)prefetch_receiver(key); });
}

}  // namespace orrery::sim
