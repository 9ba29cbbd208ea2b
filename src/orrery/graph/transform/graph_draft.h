// SPDX-License-Identifier: Apache-2.0
//
// A mutable copy of a graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Names and kernels that the drafts of one workload share, and therefore their graphs.
struct DraftTables {
  std::shared_ptr<StringPool> strings = std::make_shared<StringPool>();
  std::shared_ptr<KernelTable> kernels = std::make_shared<KernelTable>();
};

/// A graph as NodeSpecs, by ascending id. Needs a few hundred bytes per node: for edits that add,
/// drop or order nodes. Edits of times use Graph::with_times.
class GraphDraft {
 public:
  /// Copies `graph`. `where` names the rank in errors.
  GraphDraft(const Graph& graph, std::string where, const DraftTables& tables);

  [[nodiscard]] std::vector<NodeSpec>& nodes() { return nodes_; }
  /// Makes `to` wait for `from`; both are indexes in nodes().
  void order(std::size_t from, std::size_t to, DependencyKind kind);

  /// The changed graph. Without changes, its content equals that of the original. Errc: as
  /// GraphBuilder::finish with Repair::refuse.
  [[nodiscard]] Result<Graph> finish(Findings& findings) &&;

 private:
  std::string where_;
  DraftTables tables_;
  std::vector<NodeSpec> nodes_;
};

}  // namespace orrery::graph
