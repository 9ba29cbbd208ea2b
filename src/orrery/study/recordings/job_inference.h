// SPDX-License-Identifier: Apache-2.0
//
// The job that traces are of: a model and a plan that would make just these.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

struct InferredJob {
  workload::Spec spec;
  std::uint32_t ranks = 0;   ///< that have traces of their own; the others are told from these
  std::uint64_t nodes = 0;   ///< that were compared
  std::uint64_t other = 0;   ///< of the traces' and of the job's: nodes that the others have not
  std::uint64_t placed = 0;  ///< that stand elsewhere, or wait for others

  /// "Llama 3.1 8B, 32 layers", or the sizes of a model that the catalogue does not have.
  [[nodiscard]] std::string model_text() const;
  /// "tp 2, pp 2, dp 2; 8 microbatches of 1 x 8,192 tokens; 1f1b, sharding none, ..."
  [[nodiscard]] std::string plan_words() const;
  /// "all 3,524 nodes of 2 of 8 ranks are the same"
  [[nodiscard]] std::string similarity_text() const;
};

/// Sizes of kernels say the model's and the batch's (traced_sizes); what sizes leave open, and what
/// is not told at all, is tried: a value stays if ranks then do more of what traces have. What is
/// told is made and compared, so that nothing is taken on trust, but for what only ranks without
/// traces do (LoadOptions::some_ranks): stages of these have as many layers as those that are
/// there, and the rest is as the catalogue's model has it, else as is usual. Errc:
/// input_unsupported where no language model is recognised, or where one node in a hundred is
/// another one. O(candidates × nodes of the ranks that differ).
[[nodiscard]] Result<InferredJob> infer_job(const graph::Workload& workload,
                                            const std::string& where);

}  // namespace orrery::study
