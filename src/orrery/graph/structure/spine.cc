// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/spine.h"

#include <algorithm>

#include "orrery/graph/structure/node_selection.h"

namespace orrery::graph {
namespace {

bool is_spine_work(const Graph& graph, NodeId n) {
  const auto of = time_of(graph, n);
  if (of == WorkKind::kernels || of == WorkKind::copies) return true;
  // What a stage of a pipeline receives and sends is all that tells its passes apart
  return graph.lanes().empty() &&
         (graph.kind(n) == NodeKind::send || graph.kind(n) == NodeKind::recv);
}

/// The lane on which most works stand; kNoLane where there are no lanes.
std::uint32_t busiest_lane(const Graph& graph) {
  std::vector<std::size_t> works(graph.lanes().size());
  for (NodeId n = 0; n < graph.size(); ++n)
    if (const std::uint32_t lane = graph.lane(n); lane != kNoLane && is_spine_work(graph, n))
      ++works[lane];
  const auto most = std::max_element(works.begin(), works.end());
  return most == works.end() ? kNoLane : static_cast<std::uint32_t>(most - works.begin());
}

std::string without_numbers(std::string_view name) {
  std::string made;
  for (const char c : name)
    if (c < '0' || c > '9') made += c;
  return made;
}

template <class Key>
std::uint32_t number_of(Key key, std::map<Key, std::uint32_t>& numbers) {
  const auto next = static_cast<std::uint32_t>(numbers.size());
  return numbers.try_emplace(std::move(key), next).first->second;
}

}  // namespace

std::uint32_t NodeClasses::of_name(NodeId n) {
  const std::string_view name = graph_.name(n);
  const auto [known, added] = names_.try_emplace(name, 0u);
  if (added) known->second = number_of(without_numbers(name), bare_);
  return known->second;
}

std::uint32_t NodeClasses::of(NodeId n) {
  return number_of(std::pair(of_name(n), graph_.kernel(n)), kinds_);
}

Spine spine(const Graph& graph, NodeClasses& symbols) {
  Spine made;
  made.lane = busiest_lane(graph);
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!is_spine_work(graph, n) || graph.lane(n) != made.lane) continue;
    made.works.push_back(n);
    made.symbols.push_back(symbols.of(n));
  }
  return made;
}

WorkPasses passes_of(const Graph& graph, NodeId n) {
  const auto says = [&](std::string_view part) {
    return graph.name(n).find(part) != std::string_view::npos;
  };
  WorkPasses made;
  if (const StepPhase phase = graph.scope(n).phase; phase != StepPhase::unsaid) {
    made.forward = phase == StepPhase::forward;
    made.backward = phase == StepPhase::backward;
    made.optimizer = phase == StepPhase::optimizer;
    return made;
  }
  const KernelId id = graph.kernel(n);
  if (id == kNoKernel) {
    made.optimizer = says("ptimizer") || says("dam_") || says("sgd");
    made.backward = !made.optimizer && (says("ackward") || says("autograd::engine"));
    return made;
  }
  const Kernel& kernel = (*graph.kernels())[id];
  made.optimizer = kernel.operation == Operation::optimizer;
  // Casts and copies are in every pass, and none of them says so.
  const bool known =
      kernel.operation != Operation::cast && kernel.operation != Operation::copy && !made.optimizer;
  made.forward = known && kernel.pass == Pass::forward;
  made.backward = known && kernel.pass != Pass::forward;
  return made;
}

}  // namespace orrery::graph
