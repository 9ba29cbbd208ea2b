// SPDX-License-Identifier: Apache-2.0
//
// The main sequence of a rank's work, and the class of each node.
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

/// Numbers the classes of nodes. A class is a kernel with its sizes, if known, and a name without
/// its digits.
class NodeClasses {
 public:
  explicit NodeClasses(const Graph& graph) : graph_(graph) {}

  /// Class of the node. Equal for nodes with equal kernels and names. Dense, in order of the first
  /// call.
  std::uint32_t of(NodeId n);
  /// Class of the node's name alone.
  std::uint32_t of_name(NodeId n);

 private:
  const Graph& graph_;
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::map<std::string, std::uint32_t> bare_;
  std::map<std::pair<std::uint32_t, KernelId>, std::uint32_t> kinds_;
};

/// The works of a rank's busiest lane, in order. In graphs without lanes: all computation, copies
/// and messages, by id.
struct Spine {
  std::uint32_t lane = kNoLane;
  std::vector<NodeId> works;
  std::vector<std::uint32_t> symbols;  ///< parallel to works (NodeClasses::of)
};
/// O(nodes).
[[nodiscard]] Spine spine(const Graph& graph, NodeClasses& symbols);

/// The passes that works belong to.
struct WorkPasses {
  bool forward = false, backward = false, optimizer = false;

  void add(const WorkPasses& other) {
    forward = forward || other.forward;
    backward = backward || other.backward;
    optimizer = optimizer || other.optimizer;
  }
};
/// Passes of a node: from its scope, else from its kernel, else from words in its name.
[[nodiscard]] WorkPasses passes_of(const Graph& graph, NodeId n);

}  // namespace orrery::graph
