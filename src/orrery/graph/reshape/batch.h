// SPDX-License-Identifier: Apache-2.0
//
// Changes the number of samples that a rank processes at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {

/// How with_batch() changed the nodes.
struct BatchReport {
  std::uint64_t by_kernel_sizes = 0;  ///< work nodes, scaled by the batch sizes of their kernel
  std::uint64_t proportional =
      0;                      ///< work nodes without a kernel, scaled in proportion to the batch
  std::uint64_t weights = 0;  ///< work nodes on weights, unchanged
  std::uint64_t rounded = 0;  ///< kernel sizes rounded to whole numbers
};

struct BatchChange {
  double factor = 1;              ///< samples after / before; more than 0
  std::vector<bool> activations;  ///< by node: the size of this collective grows with the batch
};

/// The graph with `factor` times the samples in each microbatch. Grow by the factor: batch sizes of
/// kernels, their operations, bytes and durations, messages, and the collectives in `activations`.
/// Unchanged: bytes of weights and of their gradients, optimizers, element-wise gradient kernels on
/// as many elements as some weight has, host work, and remote memory accesses. The durations assume
/// proportionality to the batch. Errc: usage if an attention would process part of a sequence; also
/// those of GraphBuilder::finish. O(nodes log nodes).
[[nodiscard]] Result<Graph> with_batch(const Graph& graph, const BatchChange& change,
                                       const std::string& where, const DraftTables& tables,
                                       BatchReport& report, Findings& findings);

}  // namespace orrery::graph
