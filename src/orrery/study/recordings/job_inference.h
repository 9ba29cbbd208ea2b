// SPDX-License-Identifier: Apache-2.0
//
// Infers the job of traces: a model and a plan that generate equivalent traces.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

struct InferredJob {
  workload::Spec spec;
  std::uint32_t ranks = 0;   ///< ranks with traces; other ranks are inferred from them
  std::uint64_t nodes = 0;   ///< compared nodes
  std::uint64_t other = 0;   ///< nodes that only the traces or only the job has
  std::uint64_t placed = 0;  ///< nodes at another position or with other dependencies

  /// "Llama 3.1 8B, 32 layers", or the sizes of a model that the catalog does not have.
  [[nodiscard]] std::string model_text() const;
  /// "tp 2, pp 2, dp 2; 8 microbatches of 1 x 8,192 tokens; 1f1b, sharding none, ..."
  [[nodiscard]] std::string plan_words() const;
  /// "all 3,524 nodes of 2 of 8 ranks and their dependencies"
  [[nodiscard]] std::string similarity_text() const;
};

/// Infers model and batch sizes from kernel sizes (infer_sizes). It tries values of the remaining
/// parameters, and accepts a value if more nodes match. It generates the inferred job and compares
/// it with the traces. Ranks without traces (LoadOptions::allow_missing_ranks) are not compared:
/// their stages have as many layers as the traced ones, and the rest follows the catalog's model
/// or the defaults. Errc: input_unsupported if no language model is recognized, or if more than 1 %
/// of the nodes differ. O(candidates × nodes of the ranks that differ).
[[nodiscard]] Result<InferredJob> infer_job(const graph::Workload& workload,
                                            const std::string& where);

}  // namespace orrery::study
