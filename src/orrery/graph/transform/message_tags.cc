// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/message_tags.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "orrery/graph/structure/topological_order.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {
namespace {

using Channel = std::pair<std::uint32_t, std::int32_t>;  // sends: from, to; receives: to, from

/// Tags in the order in which messages are sent and received.
struct Sequences {
  std::map<Channel, std::vector<std::uint32_t>> sent, received;
};

Sequences sequences(const Workload& workload) {
  std::vector<std::vector<NodeId>> orders;  // of messages, by graph
  for (const GraphRef& graph : workload.graphs) {
    orders.emplace_back();
    for (const NodeId n : runnable_order(*graph))
      if (is_message(graph->kind(n))) orders.back().push_back(n);
  }
  Sequences made;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    for (const NodeId n : orders[workload.graph_of_rank[rank]]) {
      const PointToPoint message = graph.message(n, rank);
      if (graph.kind(n) == NodeKind::send) {
        made.sent[{rank, message.dst}].push_back(message.tag);
      } else {
        made.received[{rank, message.src}].push_back(message.tag);
      }
    }
  }
  return made;
}

}  // namespace

Result<Workload> remove_message_tags(const Workload& workload) {
  const Sequences found = sequences(workload);
  for (const auto& [channel, tags] : found.sent) {
    const auto other = found.received.find(
        {static_cast<std::uint32_t>(channel.second), static_cast<std::int32_t>(channel.first)});
    if (other == found.received.end() || other->second != tags)
      return fail(
          Errc::input_mismatch, fmt::format("rank {}", channel.first),
          fmt::format("rank {} does not receive its messages in the order in which they are sent",
                      channel.second),
          "without that order, messages cannot be matched");
  }
  if (found.sent.empty()) return workload;
  const DraftTables tables;
  std::optional<Error> error;
  Workload made = with_graphs(workload, [&](const Graph& graph) -> GraphRef {
    GraphDraft draft(graph, "", tables);
    for (NodeSpec& node : draft.nodes()) node.message.tag = 0;
    Findings none;
    auto done = std::move(draft).finish(none);
    if (done) return std::make_shared<const Graph>(*std::move(done));
    error = done.error();
    return nullptr;
  });
  if (error) return tl::unexpected(*error);
  return made;
}

}  // namespace orrery::graph
