// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/recorded_collectives.h"

#include <algorithm>

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {

// Flag above the numbers of communicators: the key belongs to a pair that exchanges messages.
constexpr std::uint64_t kMessages = std::uint64_t{1} << 63;

}  // namespace

// kUnknown or above: the workload does not describe the group.
std::uint32_t RecordedCollectives::communicator(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  const std::string_view name = graph.string(graph.collective(node).group);
  if (run_.policy.means_all(name)) return 0;
  return run_.communicators.find(name, run_.real(rank));
}

bool RecordedCollectives::waits_for_others(std::uint32_t rank, NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  switch (graph.kind(node)) {
    case NodeKind::send:
    case NodeKind::recv:
      return graph.duration(node) > Time{};
    case NodeKind::coll: {
      if (graph.duration(node) <= Time{} || !graph.has(node, graph::kHasCommType) ||
          !graph.has(node, graph::kHasCommSize))
        return false;
      const std::uint32_t group = communicator(rank, node);
      return group < Communicators::kOutside && run_.communicators[group].members > 1;
    }
    default:
      return false;
  }
}

std::pair<std::uint64_t, std::uint64_t> RecordedCollectives::channel_of(std::uint32_t rank,
                                                                        NodeId node) const {
  const graph::Graph& graph = run_.graph_of(rank);
  if (graph.kind(node) == NodeKind::coll) return {communicator(rank, node), 0};
  const graph::PointToPoint message = graph.message(node, run_.real(rank));
  const bool sends = graph.kind(node) == NodeKind::send;
  const auto here = static_cast<std::int32_t>(run_.real(rank));
  const std::int32_t from = sends ? here : message.src, to = sends ? message.dst : here;
  return {kMessages | static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 31 |
              static_cast<std::uint32_t>(to),
          message.tag};
}

std::uint32_t RecordedCollectives::number_of(std::uint32_t rank, NodeId node) {
  if (numbers_.size() <= rank) numbers_.resize(rank + 1);
  auto& numbers = numbers_[rank];
  if (numbers.empty()) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> counts[2];
    const graph::Graph& graph = run_.graph_of(rank);
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (waits_for_others(rank, n))
        numbers[n] = counts[graph.kind(n) == NodeKind::recv ? 1 : 0][channel_of(rank, n)]++;
    }
  }
  return numbers[node];
}

void RecordedCollectives::arrive(std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const auto [channel, tag] = channel_of(rank, node);
  const bool collective = graph.kind(node) == NodeKind::coll;
  if (run_.observer != nullptr && collective)
    run_.observer->custom_collective_begins(rank, node, static_cast<std::uint32_t>(channel));
  const Key key{channel, tag, number_of(rank, node)};
  OpenCollective& open = open_[key];
  open.members.push_back({rank, node});
  open.shortest = std::min(
      open.shortest, run_.shared.deviations.communication(run_.real(rank), graph.duration(node)));
  const std::size_t members =
      collective ? run_.communicators[static_cast<std::uint32_t>(channel)].members : 2;
  if (open.members.size() < members) return;
  const OpenCollective complete = std::move(open);
  open_.erase(key);
  for (const Member& one : complete.members) {
    local_events_.at(one.rank, complete.shortest.count(),
                     {.arg = one.node, .kind = LocalEventKind::node_done});
  }
}

}  // namespace orrery::sim
