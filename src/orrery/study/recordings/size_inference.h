// SPDX-License-Identifier: Apache-2.0
//
// Infers model and batch sizes from the kernel sizes of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// Name of an inferred model that is not in the catalog.
inline constexpr std::string_view kInferredModelName = "traced";

/// All kernels of a workload, and evidence of its parallelism.
struct KernelInventory {
  struct CountedKernel {
    graph::Kernel kernel;
    std::uint64_t nodes = 0;  ///< on all ranks
  };
  std::vector<CountedKernel> all;      ///< most nodes first
  std::uint64_t microbatches = 0;      ///< forward passes of the rank that looks up tokens
  std::uint32_t ranks = 0;             ///< ranks of the job
  std::set<std::int64_t> group_sizes;  ///< sizes of collective groups
  bool messages = false;               ///< whether ranks send messages

  using KernelPredicate = std::function<bool(const graph::Kernel&)>;
  /// The matching kernel with most nodes; null: none matches.
  [[nodiscard]] const graph::Kernel* most(graph::Operation operation,
                                          const KernelPredicate& which) const;
  [[nodiscard]] std::uint64_t count(graph::Operation operation, const KernelPredicate& which) const;
};
/// Collects the kernels. O(nodes of all ranks).
[[nodiscard]] KernelInventory kernel_inventory(const graph::Workload& workload);

/// Degrees of parallelism that affect kernel sizes.
struct ParallelDegrees {
  std::int64_t tp = 1, cp = 1, pp = 1;
  workload::ContextMethod method = workload::ContextMethod::ring;
};
/// Degrees that the number of ranks, the groups and the messages allow; by number of parts,
/// ascending.
[[nodiscard]] std::vector<ParallelDegrees> possible_partitions(const KernelInventory& kernels);

/// Infers a specification from kernel sizes, given the degrees `cut`. It uses the catalog's model
/// with these sizes (with the detected number of layers), else a new model. Empty if the kernels do
/// not determine a language model.
[[nodiscard]] std::optional<workload::Spec> infer_sizes(const KernelInventory& kernels,
                                                        const ParallelDegrees& cut);

}  // namespace orrery::study
