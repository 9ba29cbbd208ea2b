// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/dependency_edits.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/structure/topological_order.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

Result<GraphRef> finished(GraphDraft&& draft, bool other) {
  if (!other) return GraphRef();
  Findings none;
  auto graph = std::move(draft).finish(none);
  if (!graph) return tl::unexpected(graph.error());
  return std::make_shared<const Graph>(*std::move(graph));
}

/// Whether the node occupies the device: not the host's part of communication.
bool occupies_device(const Graph& graph, NodeId n) {
  const auto kind = work_kind(graph, n);
  return kind == WorkKind::kernels || kind == WorkKind::copies ||
         (kind == WorkKind::communication && !(graph.is_cpu(n) && graph.has_device()));
}

bool is_elementwise(const Graph& graph, NodeId n) {
  if (work_kind(graph, n) != WorkKind::kernels) return false;
  if (const Kernel* kernel = graph.kernel_of(n); kernel != nullptr) {
    switch (kernel->operation) {
      case Operation::elementwise:
      case Operation::activation:
      case Operation::dropout:
      case Operation::rotary:
      case Operation::cast:
        return true;
      default:
        return false;
    }
  }
  return graph.name(n).find("elementwise") != std::string_view::npos;
}

/// By node: the number of device works that it waits for, the last one of them, and the number of
/// successors of each device work.
struct DeviceNeighbors {
  explicit DeviceNeighbors(const Graph& graph)
      : before(graph.size()), after(graph.size()), last(graph.size(), kNoNode) {
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (!occupies_device(graph, n)) continue;
      for (const NodeId next : graph.successors(n)) {
        ++before[next];
        ++after[n];
        last[next] = n;
      }
    }
  }
  std::vector<std::uint32_t> before, after;
  std::vector<NodeId> last;
};

/// Removes the time of calls that launched only removed kernels, and the lags before removed
/// kernels except launch lags.
Graph without_launches(const Graph& graph, const std::vector<bool>& gone,
                       std::vector<Time> durations) {
  std::vector<Time> lags;
  if (graph.has_lags()) lags.reserve(graph.edge_count());
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto after = graph.successors(n);
    bool launches = false, stays = false;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const DependencyKind kind = edge_kind(graph, n, i);
      if (kind == DependencyKind::launch) (gone[after[i]] ? launches : stays) = true;
      if (graph.has_lags())
        lags.push_back(gone[after[i]] && kind != DependencyKind::launch ? Time{} : graph.lag(n, i));
    }
    if (launches && !stays && durations[n] > Time{}) durations[n] = kMinimumDuration;
  }
  return lags.empty() ? graph.with_durations(durations) : graph.with_times(durations, lags);
}

}  // namespace

Result<GraphRef> without_overlap(const Graph& graph, const std::string& where,
                                 const DraftTables& tables) {
  GraphDraft draft(graph, where, tables);
  bool other = false;
  std::vector<NodeId> works;  // since the last communication
  NodeId before = kNoNode;    // the last communication
  for (const NodeId n : launch_order(graph)) {
    if (!occupies_device(graph, n)) continue;
    const auto follow = [&](NodeId from) {
      if (graph.edge(from, n) != kNoNode) return;
      draft.order(from, n, DependencyKind::stream);
      other = true;
    };
    if (work_kind(graph, n) != WorkKind::communication) {
      if (before != kNoNode) follow(before);
      works.push_back(n);
      continue;
    }
    for (const NodeId work : works) follow(work);
    if (works.empty() && before != kNoNode) follow(before);
    works.clear();
    before = n;
  }
  return finished(std::move(draft), other);
}

Result<GraphRef> without_syncs(const Graph& graph, const std::string& where,
                               const DraftTables& tables) {
  GraphDraft draft(graph, where, tables);
  bool other = false;
  for (NodeId n = 0; n < graph.size(); ++n) {
    const auto after = graph.successors(n);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const DependencyKind kind = edge_kind(graph, n, i);
      if (kind != DependencyKind::sync && kind != DependencyKind::poll) continue;
      NodeSpec& node = draft.nodes()[after[i]];
      // The edge of a poll from the same thread is also its order.
      if (!graph.is_cpu(n) || graph.lane(n) != graph.lane(after[i]))
        std::erase(node.deps, graph.id(n));
      std::erase_if(node.notes,
                    [&](const DependencyNote& note) { return note.dep == graph.id(n); });
      other = true;
    }
  }
  return finished(std::move(draft), other);
}

GraphRef fuse_elementwise(const Graph& graph) {
  const DeviceNeighbors device(graph);
  std::vector<Time> longest = durations_of(graph);
  std::vector<NodeId> head(graph.size(), kNoNode);  // by last node of a chain: its first node
  std::vector<bool> gone(graph.size());
  bool other = false;
  for (const NodeId n : runnable_order(graph)) {
    if (!is_elementwise(graph, n)) continue;
    head[n] = n;
    const NodeId before = device.last[n];
    if (device.before[n] != 1 || device.after[before] != 1 || head[before] == kNoNode ||
        graph.lane(n) != graph.lane(before))
      continue;
    head[n] = std::exchange(head[before], kNoNode);
    longest[head[n]] = std::max(longest[head[n]], graph.duration(n));
    longest[n] = kMinimumDuration;
    gone[n] = other = true;
  }
  if (!other) return nullptr;
  return std::make_shared<const Graph>(without_launches(graph, gone, std::move(longest)));
}

}  // namespace orrery::graph
