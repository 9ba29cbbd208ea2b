// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/program/rank_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

namespace orrery::generative {
namespace {

using graph::Graph;
using graph::NodeId;

/// Nodes so that each follows its dependencies; otherwise by id. Metadata is left out.
std::vector<NodeId> ordered_nodes(const Graph& graph) {
  std::vector<std::uint32_t> open(graph.in_degrees().begin(), graph.in_degrees().end());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (open[n] == 0) ready.push(n);
  std::vector<NodeId> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const NodeId n = ready.top();
    ready.pop();
    order.push_back(n);
    for (const NodeId next : graph.successors(n))
      if (--open[next] == 0) ready.push(next);
  }
  return order;
}

std::vector<std::vector<std::uint32_t>> dependencies(const Graph& graph,
                                                     const std::vector<NodeId>& order) {
  std::vector<std::uint32_t> position(graph.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<std::vector<std::uint32_t>> deps(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    for (const NodeId next : graph.successors(order[i])) deps[position[next]].push_back(i);
  return deps;  // ascending, because `i` ascends
}

}  // namespace

std::uint32_t OpTable::intern(const OpShape& shape) {
  const auto [found, is_new] =
      shape_numbers_.emplace(to_text(shape), static_cast<std::uint32_t>(shapes_.size()));
  if (is_new) {
    shapes_.push_back(shape);
    lanes_.push_back(names_.lanes_of(shape));
  }
  return found->second;
}

std::uint32_t OpTable::intern(Op op) {
  const auto [found, is_new] =
      numbers_.emplace(std::move(op), static_cast<std::uint32_t>(ops_.size()));
  if (is_new) ops_.push_back(&found->first);
  return found->second;
}

Result<RankOps> read_rank(const Graph& graph, std::uint32_t rank, const AxisOfGroup& axis_of,
                          OpTable& table) {
  if (graph.has_lags())
    return fail(Errc::input_unsupported, fmt::format("rank {}", rank),
                "lags between nodes cannot be represented");
  const std::vector<NodeId> order = ordered_nodes(graph);
  RankOps made;
  NodeOrder nodes;
  std::vector<OpValues> values;
  values.reserve(order.size());
  for (const NodeId n : order) {
    const std::int64_t microbatch = split_name(graph.name(n)).microbatch;
    std::string axis;
    if (graph.kind(n) == graph::NodeKind::coll)
      axis = axis_of(graph.string(graph.collective(n).group));
    auto op = read_op(graph, n, axis, rank, microbatch);
    if (!op) return tl::unexpected(op.error());
    nodes.shapes.push_back(table.intern(op->shape));
    values.push_back(std::move(op->values));
    made.microbatches.push_back(microbatch);
  }
  for (std::uint32_t s = 0; s < table.shape_count(); ++s)
    nodes.lanes_of_shape.push_back(table.lanes(s));
  nodes.deps = dependencies(graph, order);
  std::vector<Waits> waits = find_waits(nodes);
  made.ops.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    made.ops.push_back(
        table.intern(Op{nodes.shapes[i], std::move(values[i]), std::move(waits[i])}));
  made.nodes = order;
  return made;
}

Result<void> write_rank(const RankOps& rank, const OpTable& table, StringPool& pool,
                        graph::KernelTable& kernels,
                        const std::function<Result<void>(const graph::NodeSpec&)>& on_node) {
  LaneHistory history;
  graph::NodeSpec node;
  for (std::size_t i = 0; i < rank.ops.size(); ++i) {
    const Op& op = table.op(rank.ops[i]);
    write_op(table.shape(op.shape), op.values, rank.microbatches[i], pool, kernels, node);
    node.id = i;
    node.deps.clear();
    for (const Wait wait : op.waits) {
      const std::uint32_t target = history.resolve(wait);
      if (target != kNothing &&
          std::find(node.deps.begin(), node.deps.end(), target) == node.deps.end())
        node.deps.push_back(target);
    }
    history.add(table.lanes(op.shape));
    if (auto done = on_node(node); !done) return done;
  }
  return {};
}

}  // namespace orrery::generative
