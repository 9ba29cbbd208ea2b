// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/node_selection.h"

#include <array>
#include <unordered_map>
#include <utility>

namespace orrery::graph {

std::string_view name(WorkKind kind) {
  constexpr std::array<std::string_view, kWorkKinds> names = {"host", "kernels", "copies",
                                                              "communication", "waits"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<WorkKind> work_kind(const Graph& graph, NodeId n) {
  const NodeKind kind = graph.kind(n);
  if (kind == NodeKind::invalid || kind == NodeKind::metadata) return std::nullopt;
  if (graph.has(n, kIsWait)) return WorkKind::waits;
  if (!is_work(kind) || graph.has(n, kIsComm)) return WorkKind::communication;
  if (graph.is_cpu(n) && graph.has_device()) return WorkKind::host;
  if (graph.has(n, kIsCopy) || kind != NodeKind::comp) return WorkKind::copies;
  return WorkKind::kernels;
}

bool is_own_work(const Graph& graph, NodeId n) {
  const auto kind = work_kind(graph, n);
  return kind == WorkKind::kernels || kind == WorkKind::copies || kind == WorkKind::host;
}

std::vector<std::uint32_t> steps_of_works(const Graph& graph, std::size_t steps) {
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> works;  // seen, all
  for (NodeId n = 0; n < graph.size(); ++n)
    if (is_own_work(graph, n)) ++works[graph.name(n)].second;
  std::vector<std::uint32_t> made(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!is_own_work(graph, n)) continue;
    auto& [seen, all] = works[graph.name(n)];
    made[n] = static_cast<std::uint32_t>(seen++ * steps / all);
  }
  return made;
}

DependencyKind edge_kind(const Graph& graph, NodeId from, std::size_t i) {
  const DependencyKind stated = graph.stated_edge_kind(from, i);
  if (stated != DependencyKind::unsaid || graph.lanes().empty()) return stated;
  return default_dependency_kind(graph.is_cpu(from), graph.is_cpu(graph.successors(from)[i]));
}

LagKind lag_kind(const Graph& graph, NodeId from, std::size_t i) {
  const DependencyKind kind = edge_kind(graph, from, i);
  if (kind == DependencyKind::recorded_wait || kind == DependencyKind::start) return LagKind::waits;
  if (kind == DependencyKind::poll) return LagKind::polls;
  return kind == DependencyKind::launch ? LagKind::launch : LagKind::gaps;
}

std::vector<bool> select_nodes(const Graph& graph, const NodeSelection& selection) {
  std::vector<bool> made(graph.size());
  std::unordered_map<std::string_view, bool> matches;  // by name
  for (NodeId n = 0; n < graph.size(); ++n) {
    const std::optional<WorkKind> kind = work_kind(graph, n);
    if (!kind || (selection.kind && kind != selection.kind)) continue;
    if (selection.operation) {
      const Kernel* kernel = graph.kernel_of(n);
      if (kernel == nullptr || kernel->operation != *selection.operation) continue;
    }
    if (!selection.group.empty() && (graph.kind(n) != NodeKind::coll ||
                                     graph.string(graph.collective(n).group) != selection.group))
      continue;
    if (!selection.name_part.empty() || !selection.name.empty()) {
      if (kind == WorkKind::host || kind == WorkKind::waits) continue;
      const auto [known, added] = matches.try_emplace(graph.name(n), false);
      if (added)
        known->second = selection.name.empty()
                            ? known->first.find(selection.name_part) != std::string_view::npos
                            : known->first == selection.name;
      if (!known->second) continue;
    }
    made[n] = true;
  }
  return made;
}

}  // namespace orrery::graph
