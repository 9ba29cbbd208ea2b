// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/node_selection.h"

#include <array>
#include <unordered_map>
#include <utility>

namespace orrery::graph {

std::string_view name(WorkKind of) {
  constexpr std::array<std::string_view, kWorkKinds> names = {"host", "kernels", "copies",
                                                              "communication", "waits"};
  return names[static_cast<std::size_t>(of)];
}

std::optional<WorkKind> time_of(const Graph& graph, NodeId n) {
  const NodeKind kind = graph.kind(n);
  if (kind == NodeKind::invalid || kind == NodeKind::metadata) return std::nullopt;
  if (graph.has(n, kIsWait)) return WorkKind::waits;
  if (!is_work(kind) || graph.has(n, kIsComm)) return WorkKind::communication;
  if (graph.is_cpu(n) && graph.has_device()) return WorkKind::host;
  if (graph.has(n, kIsCopy) || kind != NodeKind::comp) return WorkKind::copies;
  return WorkKind::kernels;
}

bool is_own_work(const Graph& graph, NodeId n) {
  const auto of = time_of(graph, n);
  return of == WorkKind::kernels || of == WorkKind::copies || of == WorkKind::host;
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

DependencyKind edge_kind(const Graph& graph, NodeId from, NodeId to, DependencyKind said) {
  if (said != DependencyKind::unsaid || graph.lanes().empty()) return said;
  return default_dependency_kind(graph.is_cpu(from), graph.is_cpu(to));
}

LagKind lag_kind(const Graph& graph, NodeId from, NodeId to, DependencyKind said) {
  const DependencyKind kind = edge_kind(graph, from, to, said);
  if (kind == DependencyKind::recorded_wait || kind == DependencyKind::start) return LagKind::waits;
  return kind == DependencyKind::launch ? LagKind::launch : LagKind::gaps;
}

std::vector<bool> selected(const Graph& graph, const Selection& selection) {
  std::vector<bool> made(graph.size());
  std::unordered_map<std::string_view, bool> fits;  // by name
  for (NodeId n = 0; n < graph.size(); ++n) {
    const std::optional<WorkKind> of = time_of(graph, n);
    if (!of || (selection.of && of != selection.of)) continue;
    if (selection.operation) {
      const KernelId kernel = graph.kernel(n);
      if (kernel == kNoKernel || (*graph.kernels())[kernel].operation != *selection.operation)
        continue;
    }
    if (!selection.group.empty() && (graph.kind(n) != NodeKind::coll ||
                                     graph.string(graph.collective(n).group) != selection.group))
      continue;
    if (!selection.part.empty() || !selection.exactly.empty()) {
      if (of == WorkKind::host || of == WorkKind::waits) continue;
      const auto [known, added] = fits.try_emplace(graph.name(n), false);
      if (added)
        known->second = selection.exactly.empty()
                            ? known->first.find(selection.part) != std::string_view::npos
                            : known->first == selection.exactly;
      if (!known->second) continue;
    }
    made[n] = true;
  }
  return made;
}

}  // namespace orrery::graph
