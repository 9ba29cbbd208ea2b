// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/graph_draft.h"

#include <utility>

namespace orrery::graph {
namespace {

void add_payload(const Graph& graph, NodeId n, const DraftTables& tables, NodeSpec& node) {
  if (is_work(node.kind)) {
    node.work = graph.work(n);
    if (const Kernel* kernel = graph.kernel_of(n); kernel != nullptr)
      node.kernel = tables.kernels->intern(*kernel);
  } else if (node.kind == NodeKind::coll) {
    node.collective = graph.collective(n);
    node.collective.group = tables.strings->intern(graph.string(node.collective.group));
  } else if (is_message(node.kind)) {
    node.message = graph.point_to_point(n);
  }
  const auto tensors = graph.tensors(n);
  node.tensors.assign(tensors.begin(), tensors.end());
  for (TensorUse& tensor : node.tensors)
    tensor.name = tables.strings->intern(graph.string(tensor.name));
}

}  // namespace

GraphDraft::GraphDraft(const Graph& graph, std::string where, const DraftTables& tables)
    : where_(std::move(where)), tables_(tables), nodes_(graph.size()) {
  if (graph.kernels() != nullptr)
    tables_.kernels->set_launch_times(graph.kernels()->launch_times());
  for (NodeId n = 0; n < graph.size(); ++n) {
    NodeSpec& node = nodes_[n];
    node.id = graph.id(n);
    node.kind = graph.kind(n);
    for (std::uint32_t flag = 1; flag <= kIsWait; flag <<= 1)
      if (graph.has_any(n, flag)) node.flags |= static_cast<std::uint16_t>(flag);
    node.duration = graph.duration(n);
    node.name = tables_.strings->intern(graph.name(n));
    if (const std::uint32_t lane = graph.lane(n); lane != kNoLane) node.lane = graph.lanes()[lane];
    node.scope = graph.scope(n);
    add_payload(graph, n, tables_, node);
    const auto successors = graph.successors(n);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      NodeSpec& after = nodes_[successors[i]];
      after.deps.push_back(graph.id(n));
      const Time lag = graph.lag(n, i);
      const DependencyKind kind = graph.stated_edge_kind(n, i);
      if (lag > Time{} || kind != DependencyKind::unsaid)
        after.notes.push_back({graph.id(n), lag, kind});
    }
  }
}

void GraphDraft::order(std::size_t from, std::size_t to, DependencyKind kind) {
  nodes_[to].deps.push_back(nodes_[from].id);
  nodes_[to].notes.push_back({nodes_[from].id, Time{}, kind});
}

Result<Graph> GraphDraft::finish(Findings& findings) && {
  GraphBuilder builder(where_, tables_.strings, Repair::refuse);
  builder.share_kernels(tables_.kernels);
  builder.reserve(nodes_.size(), nodes_.size());
  for (const NodeSpec& node : nodes_) builder.add(node);
  nodes_ = {};
  return std::move(builder).finish(findings);
}

}  // namespace orrery::graph
