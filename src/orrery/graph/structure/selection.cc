// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/selection.h"

#include <array>
#include <unordered_map>
#include <utility>

namespace orrery::graph {

std::string_view name(TimeOf of) {
  constexpr std::array<std::string_view, kTimesOf> names = {"host", "kernels", "copies",
                                                            "communication", "waits"};
  return names[static_cast<std::size_t>(of)];
}

std::optional<TimeOf> time_of(const Graph& graph, NodeId n) {
  const NodeKind kind = graph.kind(n);
  if (kind == NodeKind::invalid || kind == NodeKind::metadata) return std::nullopt;
  if (graph.has(n, kIsWait)) return TimeOf::waits;
  if (!is_work(kind) || graph.has(n, kIsComm)) return TimeOf::communication;
  if (graph.is_cpu(n) && graph.has_device()) return TimeOf::host;
  if (graph.has(n, kIsCopy) || kind != NodeKind::comp) return TimeOf::copies;
  return TimeOf::kernels;
}

bool is_own_work(const Graph& graph, NodeId n) {
  const auto of = time_of(graph, n);
  return of == TimeOf::kernels || of == TimeOf::copies || of == TimeOf::host;
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

DependencyKind kind_of(const Graph& graph, NodeId from, NodeId to, DependencyKind said) {
  if (said != DependencyKind::unsaid || graph.lanes().empty()) return said;
  return usual_kind(graph.is_cpu(from), graph.is_cpu(to));
}

LagOf lag_of(const Graph& graph, NodeId from, NodeId to, DependencyKind said) {
  const DependencyKind kind = kind_of(graph, from, to, said);
  if (kind == DependencyKind::recorded_wait || kind == DependencyKind::start) return LagOf::waits;
  return kind == DependencyKind::launch ? LagOf::launch : LagOf::gaps;
}

std::vector<bool> selected(const Graph& graph, const Selection& selection) {
  std::vector<bool> made(graph.size());
  std::unordered_map<std::string_view, bool> fits;  // by name
  for (NodeId n = 0; n < graph.size(); ++n) {
    const std::optional<TimeOf> of = time_of(graph, n);
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
      if (of == TimeOf::host || of == TimeOf::waits) continue;
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
