// SPDX-License-Identifier: Apache-2.0
//
// A graph in a form that can be changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Names and kernels that the drafts of one workload share, so that their graphs do.
struct DraftTables {
  std::shared_ptr<StringPool> strings = std::make_shared<StringPool>();
  std::shared_ptr<KernelTable> kernels = std::make_shared<KernelTable>();
};

/// Nodes as a reader would hand them over, by ascending id. A few hundred bytes a node: for edits
/// that add, drop or order nodes; others change the columns they need (Graph::with_times).
class GraphDraft {
 public:
  /// All that `graph` says. `where` names the rank in errors.
  GraphDraft(const Graph& graph, std::string where, const DraftTables& tables);

  [[nodiscard]] std::vector<NodeSpec>& nodes() { return nodes_; }
  /// Lets `to` wait for `from`, both places in nodes().
  void order(std::size_t from, std::size_t to, DependencyKind kind);

  /// The graph as it is now. Unchanged, it has the content of the one it was made of. Errc: as
  /// GraphBuilder::finish; nothing is repaired.
  [[nodiscard]] Result<Graph> finish(Findings& findings) &&;

 private:
  std::string where_;
  DraftTables tables_;
  std::vector<NodeSpec> nodes_;
};

}  // namespace orrery::graph
