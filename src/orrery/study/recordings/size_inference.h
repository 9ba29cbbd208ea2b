// SPDX-License-Identifier: Apache-2.0
//
// What the sizes of a trace's kernels say of the job that it is of.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// What a model is called that is not in the catalogue.
inline constexpr std::string_view kInferredModelName = "traced";

/// All kernels of a workload, and what tells how it is cut.
struct KernelInventory {
  struct CountedKernel {
    graph::Kernel kernel;
    std::uint64_t nodes = 0;  ///< on all ranks
  };
  std::vector<CountedKernel> all;      ///< most nodes first
  std::uint64_t microbatches = 0;      ///< passes forward on the rank that looks up tokens
  std::uint32_t ranks = 0;             ///< of the job
  std::set<std::int64_t> group_sizes;  ///< of collectives
  bool messages = false;               ///< there are some

  using KernelPredicate = std::function<bool(const graph::Kernel&)>;
  /// The one with most nodes; null: there is none.
  [[nodiscard]] const graph::Kernel* most(graph::Operation operation,
                                          const KernelPredicate& which) const;
  [[nodiscard]] std::uint64_t count(graph::Operation operation, const KernelPredicate& which) const;
};
/// O(nodes of all ranks).
[[nodiscard]] KernelInventory kernel_inventory(const graph::Workload& workload);

/// How a job may be cut, as far as sizes depend on it.
struct ParallelDegrees {
  std::int64_t tp = 1, cp = 1, pp = 1;
  workload::ContextMethod method = workload::ContextMethod::ring;
};
/// Those that ranks, groups and messages allow, fewest parts first.
[[nodiscard]] std::vector<ParallelDegrees> possible_partitions(const KernelInventory& kernels);

/// A specification with the sizes that kernels have if the job is cut so: of the model of the
/// catalogue that has just these (with as many layers as there are), else of one of its own. Empty:
/// kernels do not say enough of a language model.
[[nodiscard]] std::optional<workload::Spec> infer_sizes(const KernelInventory& kernels,
                                                        const ParallelDegrees& cut);

}  // namespace orrery::study
