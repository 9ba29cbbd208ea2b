// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/custom_collectives.h"

#include <fmt/format.h>

#include "orrery/sim/collectives/plans/chunk_requests.h"

namespace orrery::sim {

using graph::CollectiveType;
using graph::NodeId;
using graph::NodeKind;

const std::string* CustomCollectives::algorithm(std::uint32_t rank, NodeId node,
                                                CollectiveType type) const {
  return custom_algorithm(run_.platform.collectives, run_.graph_of(rank), node, type);
}

bool CustomCollectives::lacks_rings(const std::string& algorithm, CollectiveType type,
                                    std::uint32_t communicator) const {
  return sim::lacks_rings(run_.workload, algorithm, type,
                          run_.communicators[communicator].ascending());
}

void CustomCollectives::begin(std::uint32_t rank, NodeId node, std::uint32_t communicator,
                              const std::string& prefix) {
  const Communicator& group = run_.communicators[communicator];
  const CollectiveType type = run_.graph_of(rank).collective(node).type;
  const auto found =
      run_.workload.custom_collectives.find(traces_of(prefix, type, group.ascending()));
  const std::size_t position = group.place(rank);
  if (found == run_.workload.custom_collectives.end() || position >= found->second.size()) {
    return run_.fail(
        {Errc::input_not_found, run_.place(rank, node),
         fmt::format("the custom algorithm \"{}\" has no trace for position {}", prefix, position),
         "add one file per member: <prefix>.<position>.et"});
  }
  // ASTRA rules only require a trace for each member.
  if (run_.policy.nearest_form && found->second.size() != group.members) {
    if (group.members == 1) return observer_.on_collective_end(rank, node);
    return run_.fail(
        {Errc::config_conflict, run_.place(rank, node),
         fmt::format("the custom algorithm \"{}\" is for {} members, but the group has {}", prefix,
                     found->second.size(), group.members),
         "use another algorithm, or no custom algorithm, for groups of this size"});
  }
  const graph::Graph& graph = *found->second[position];
  const auto run = static_cast<std::uint32_t>(runs_.size());
  CustomRun& custom = runs_.emplace_back();
  custom.owner = {rank, node};
  custom.graph = &graph;
  custom.communicator = communicator;
  custom.position = static_cast<std::uint32_t>(position);
  const graph::Collective& collective = run_.graph_of(rank).collective(node);
  custom.buffer = graph::full_buffer(collective.type, collective.size, found->second.size());
  custom.waits.assign(graph.in_degrees().begin(), graph.in_degrees().end());
  custom.pending_nodes = graph.size();
  if (run_.observer != nullptr) run_.observer->custom_collective_begins(rank, node, communicator);
  if (graph.size() == 0) return observer_.on_collective_end(rank, node);
  for (NodeId n = 0; n < graph.size() && !run_.error; ++n) {
    if (graph.in_degrees()[n] == 0) start(run, n);
  }
}

void CustomCollectives::start(std::uint32_t run, NodeId node) {
  const CustomRun& custom = runs_[run];
  const graph::Graph& graph = *custom.graph;
  const std::uint32_t rank = custom.owner.rank;
  const NodeKind kind = graph.kind(node);
  if (kind != NodeKind::send && kind != NodeKind::recv) {
    const std::int64_t recorded = kind == NodeKind::comp ? graph.duration(node).count() : 0;
    const std::int64_t shortest = kind == NodeKind::comp ? run_.policy.shortest.count() : 0;
    return local_events_.at(rank, recorded > 0 ? recorded : shortest,
                            {.arg = run, .kind = LocalEventKind::custom_done, .node = node});
  }
  const P2pMessages::Place place{rank, custom.owner.node, graph.id(node)};
  auto key = messages_.key(graph, custom.position, node, kind == NodeKind::send, place);
  if (!key) return;
  const Communicator& group = run_.communicators[custom.communicator];
  if (!group.ranks.empty()) {
    const std::vector<std::uint32_t>& members = group.ascending();
    if (key->src >= members.size() || key->dst >= members.size()) {
      return run_.fail(
          {Errc::input_range, messages_.text(place), "the peer is not a member of the group", ""});
    }
    key->src = members[key->src];
    key->dst = members[key->dst];
  }
  // The size of a message in pieces is its share of the collective's buffer.
  const graph::PointToPoint& message = graph.point_to_point(node);
  if (message.pieces != 0) key->size = message.share_of(custom.buffer).count();
  const Endpoint who{rank, node, run, custom.owner.node};
  if (kind == NodeKind::send) return messages_.send(who, *key);
  messages_.receive(who, *key);
}

void CustomCollectives::complete(std::uint32_t run, NodeId node) {
  if (run_.error) return;
  const Endpoint owner = runs_[run].owner;
  --runs_[run].pending_nodes;
  for (const NodeId next : runs_[run].graph->successors(node)) {
    if (--runs_[run].waits[next] == 0) start(run, next);
  }
  if (runs_[run].pending_nodes == 0) observer_.on_collective_end(owner.rank, owner.node);
}

void CustomCollectives::load(StateReader& from) {
  from(runs_);
  const auto& all = run_.workload.custom_collectives;
  for (CustomRun& custom : runs_) {
    const auto& [rank, node, of_custom, owner] = custom.owner;
    from.require(rank < run_.shared.states.size() && node < run_.graph_of(rank).size());
    if (from.failed()) return;
    from.require(custom.communicator < run_.communicators.all().size());
    if (from.failed()) return;
    const CollectiveType type = run_.graph_of(rank).collective(node).type;
    const std::string* prefix = algorithm(rank, node, type);
    const auto members = run_.communicators[custom.communicator].ascending();
    const auto found = prefix == nullptr ? all.end() : all.find(traces_of(*prefix, type, members));
    from.require(found != all.end() && custom.position < found->second.size());
    if (from.failed()) return;
    custom.graph = &*found->second[custom.position];
    from.require(custom.waits.size() == custom.graph->size());
  }
}

}  // namespace orrery::sim
