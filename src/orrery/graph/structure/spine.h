// SPDX-License-Identifier: Apache-2.0
//
// What a rank does, one work after another, and what each of them is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Numbers for what nodes are: kernel and sizes where known, and the name without its numbers.
class NodeClasses {
 public:
  explicit NodeClasses(const Graph& graph) : graph_(graph) {}

  /// Equal numbers: equal kernels of equal names. Dense, in order of first question.
  std::uint32_t of(NodeId n);
  /// … of the name alone.
  std::uint32_t of_name(NodeId n);

 private:
  const Graph& graph_;
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::map<std::string, std::uint32_t> bare_;
  std::map<std::pair<std::uint32_t, KernelId>, std::uint32_t> kinds_;
};

/// The works of a rank's busiest lane in order; of graphs without lanes, all that compute
/// and all messages, by id.
struct Spine {
  std::uint32_t lane = kNoLane;
  std::vector<NodeId> works;
  std::vector<std::uint32_t> symbols;  ///< as works (NodeClasses::of)
};
/// O(nodes).
[[nodiscard]] Spine spine(const Graph& graph, NodeClasses& symbols);

/// What works of a stretch are for.
struct WorkPasses {
  bool forward = false, backward = false, optimizer = false;

  void add(const WorkPasses& other) {
    forward = forward || other.forward;
    backward = backward || other.backward;
    optimizer = optimizer || other.optimizer;
  }
};
/// As its scope says, else its kernel; of works without one, what words in the name give away.
[[nodiscard]] WorkPasses passes_of(const Graph& graph, NodeId n);

}  // namespace orrery::graph
