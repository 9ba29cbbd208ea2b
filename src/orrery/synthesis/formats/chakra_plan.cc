// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/chakra_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {
namespace {

using graph::NodeId;
using graph::NodeKind;

class ChakraPlan {
 public:
  ChakraPlan(std::span<const graph::GraphRef> graphs, const std::string& where)
      : graphs_(graphs), where_(where) {}

  Result<Plan> make() {
    if (graphs_.empty())
      return fail(Errc::input_empty, where_, "contains no trace of a custom collective");
    if (graphs_.size() > plan_limits::kPlanRanks)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("more than {} ranks", plan_limits::kPlanRanks));
    std::uint64_t nodes = 0;
    for (const graph::GraphRef& graph : graphs_) nodes += graph->size();
    if (nodes > plan_limits::kPlanSteps)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("more than {} nodes", plan_limits::kPlanSteps));
    plan_.format = "Chakra";
    plan_.name = where_;
    plan_.collective_name = "custom";
    plan_.ranks.resize(graphs_.size());
    for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank)
      if (auto done = add_rank(rank); !done) return tl::unexpected(done.error());
    return std::move(plan_);
  }

 private:
  using Connection = std::tuple<NodeKind, std::uint32_t, std::uint32_t>;  // peer, tag

  Result<void> add_rank(std::uint32_t rank) {
    const graph::Graph& graph = *graphs_[rank];
    const std::vector<NodeId> order = topological_order(graph);
    std::map<Connection, std::uint32_t> blocks;
    std::vector<StepPosition> places(graph.size());
    for (const NodeId node : order) {
      const NodeKind kind = graph.kind(node);
      std::uint32_t block = 0;
      if (kind == NodeKind::send || kind == NodeKind::recv) {
        const auto peer = peer_of(rank, node);
        if (!peer) return tl::unexpected(peer.error());
        const std::uint32_t tag = graph.point_to_point(node).tag;
        const auto [at, added] = blocks.emplace(Connection{kind, *peer, tag}, block_count(rank));
        block = at->second;
        if (added) {
          PlanBlock& made = plan_.ranks[rank].blocks.emplace_back();
          (kind == NodeKind::send ? made.to : made.from) = *peer;
          made.channel = tag;
        }
      } else {
        block = block_count(rank);
        plan_.ranks[rank].blocks.emplace_back();
      }
      auto& steps = plan_.ranks[rank].blocks[block].steps;
      places[node] = {rank, block, static_cast<std::uint32_t>(steps.size())};
      steps.push_back(step_of(rank, node));
    }
    for (NodeId node = 0; node < graph.size(); ++node)
      for (const NodeId next : graph.successors(node)) link(places[node], places[next]);
    return {};
  }

  std::uint32_t block_count(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(plan_.ranks[rank].blocks.size());
  }

  void link(const StepPosition& before, const StepPosition& after) {
    if (before.block == after.block && before.step + 1 == after.step) return;
    plan_.ranks[after.rank].blocks[after.block].steps[after.step].after.push_back(before);
  }

  /// A topological order; of the possible next nodes it takes the one with the smallest id, as if
  /// the graph were issued in this order.
  static std::vector<NodeId> topological_order(const graph::Graph& graph) {
    std::vector<std::uint32_t> waits(graph.in_degrees().begin(), graph.in_degrees().end());
    std::vector<NodeId> ready, order;
    for (NodeId node = graph.size(); node-- > 0;)
      if (waits[node] == 0) ready.push_back(node);
    std::make_heap(ready.begin(), ready.end(), std::greater<>{});
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), std::greater<>{});
      const NodeId node = ready.back();
      ready.pop_back();
      order.push_back(node);
      for (const NodeId next : graph.successors(node)) {
        if (--waits[next] != 0) continue;
        ready.push_back(next);
        std::push_heap(ready.begin(), ready.end(), std::greater<>{});
      }
    }
    return order;
  }

  Result<std::uint32_t> peer_of(std::uint32_t rank, NodeId node) const {
    const graph::Graph& graph = *graphs_[rank];
    const bool sends = graph.kind(node) == NodeKind::send;
    const std::string place = fmt::format("{}.{}.et: node {}", where_, rank, graph.id(node));
    if (!graph.has(node, sends ? graph::kHasDst : graph::kHasSrc))
      return fail(Errc::input_missing_attr, place,
                  fmt::format("a message without comm_{}", sends ? "dst" : "src"));
    const graph::PointToPoint message = graph.message(node, rank);
    const std::int64_t peer = sends ? message.dst : message.src;
    if (peer >= 0 && peer < static_cast<std::int64_t>(graphs_.size()) && peer != rank)
      return static_cast<std::uint32_t>(peer);
    return fail(
        Errc::input_range, place,
        fmt::format("{} is not another member: there are {} members", peer, graphs_.size()));
  }

  PlanStep step_of(std::uint32_t rank, NodeId node) {
    const graph::Graph& graph = *graphs_[rank];
    PlanStep step;
    const bool sends = graph.kind(node) == NodeKind::send;
    if (!sends && graph.kind(node) != NodeKind::recv) return step;
    step.sends = sends;
    step.receives = !sends;
    step.count = 1;
    const auto next = graph.successors(node);
    const bool reduces = !sends && next.size() == 1 && graph.kind(next[0]) == NodeKind::comp;
    step.type = sends     ? StepType::send
                : reduces ? StepType::receive_reduce_copy
                          : StepType::receive;
    const graph::PointToPoint& message = graph.point_to_point(node);
    const std::uint64_t end = std::uint64_t{message.first_piece()} + message.piece_count();
    if (message.pieces == 0 || message.pieces > plan_limits::kPlanChunks ||
        message.piece_count() == 0 || end > message.pieces)
      return step;
    step.count = message.piece_count();
    std::uint32_t& chunks = plan_.ranks[rank].chunks[0];
    places_ += message.pieces - std::min(chunks, message.pieces);
    moves_ += step.count;
    if (places_ > plan_limits::kPlanPlaces || moves_ > plan_limits::kPlanMoves) return step;
    chunks = std::max(chunks, message.pieces);
    const PlanSpan span{rank, PlanBuffer::input, message.first_piece(), step.count};
    if (sends || reduces) step.reads.push_back(span);
    if (!sends) step.writes.push_back(span);
    return step;
  }

  std::span<const graph::GraphRef> graphs_;
  const std::string& where_;
  Plan plan_;
  std::uint64_t places_ = 0, moves_ = 0;
};

}  // namespace

Result<Plan> plan_of_graphs(std::span<const graph::GraphRef> graphs, const std::string& where) {
  return ChakraPlan(graphs, where).make();
}

}  // namespace orrery::synthesis
