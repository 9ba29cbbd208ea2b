// SPDX-License-Identifier: Apache-2.0
//
// The size of a checkpoint of a job.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// What one checkpoint stores, each element once, however many ranks hold it. Bytes.
struct CheckpointSize {
  std::int64_t weights = 0;    ///< in the type of the weights
  std::int64_t optimizer = 0;  ///< moments, and fp32 copies of weights of other types

  [[nodiscard]] std::int64_t total() const { return weights + optimizer; }
};

/// The size does not depend on the plan: bf16 weights with Adam are 2 + 12 bytes per weight. With
/// adapters it has the optimizer state of the adapters only. Embedding tables have none. With Muon,
/// the share of matrices is the mean over ranks. Errc: those of count().
[[nodiscard]] Result<CheckpointSize> checkpoint_size(const Program& program);

}  // namespace orrery::workload
