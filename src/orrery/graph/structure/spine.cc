// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/spine.h"

#include <algorithm>

#include "orrery/graph/structure/node_selection.h"

namespace orrery::graph {
namespace {

bool is_spine_work(const Graph& graph, NodeId n) {
  const auto kind = work_kind(graph, n);
  if (kind == WorkKind::kernels || kind == WorkKind::copies) return true;
  // Without lanes, only its messages separate the passes of a pipeline stage.
  return graph.lanes().empty() && is_message(graph.kind(n));
}

/// The lane with most works; kNoLane without lanes.
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
  const auto name_contains = [&](std::string_view part) {
    return graph.name(n).find(part) != std::string_view::npos;
  };
  WorkPasses made;
  if (const StepPhase phase = graph.scope(n).phase; phase != StepPhase::unsaid) {
    made.forward = phase == StepPhase::forward;
    made.backward = phase == StepPhase::backward;
    made.optimizer = phase == StepPhase::optimizer;
    return made;
  }
  const Kernel* kernel = graph.kernel_of(n);
  if (kernel == nullptr) {
    made.optimizer = name_contains("ptimizer") || name_contains("dam_") || name_contains("sgd");
    made.backward =
        !made.optimizer && (name_contains("ackward") || name_contains("autograd::engine"));
    return made;
  }
  made.optimizer = kernel->operation == Operation::optimizer;
  // Casts and copies are in every pass, but do not state it.
  const bool known = kernel->operation != Operation::cast && kernel->operation != Operation::copy &&
                     !made.optimizer;
  made.forward = known && kernel->pass == Pass::forward;
  made.backward = known && kernel->pass != Pass::forward;
  return made;
}

}  // namespace orrery::graph
