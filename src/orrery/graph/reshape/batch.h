// SPDX-License-Identifier: Apache-2.0
//
// A rank's work on more or fewer samples at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {

/// What became of the nodes.
struct BatchReport {
  std::uint64_t by_sizes = 0;  ///< works whose kernel says which of its sizes are the batch's
  std::uint64_t as_whole = 0;  ///< works without: all of them is taken to grow with the batch
  std::uint64_t weights = 0;   ///< works on weights: they stay
  std::uint64_t rounded = 0;   ///< whose sizes are no whole numbers of the batch
};

struct BatchChange {
  double factor = 1;              ///< more than 0
  std::vector<bool> activations;  ///< by node, of collectives: their size grows with the batch
};

/// The graph with so many times the samples in each microbatch. Kernels' sizes that are the batch's
/// grow with it, and operations, bytes and times with them; bytes of weights and of their gradients
/// stay, optimizers, and work on as many elements as some weight has. Messages grow, and
/// collectives that are said to; hosts' steps stay, and remote memory's. Times are taken to be
/// proportional to the batch. Errc: usage where an attention would be of a part of a sequence; as
/// GraphBuilder::finish. O(nodes log nodes).
[[nodiscard]] Result<Graph> with_batch(const Graph& graph, const BatchChange& change,
                                       const std::string& where, const DraftTables& tables,
                                       BatchReport& predicted, Findings& findings);

}  // namespace orrery::graph
