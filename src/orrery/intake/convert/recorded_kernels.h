// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

/// The kernels (graph::Kernel) of recorded device works, as far as their operators determine them
/// (operator_kernels.h). If an operator launched several works, their names show which one does the
/// main computation (trace/operators/kernel_parts.h). Copies and fills by copy engines are derived
/// from their bytes.
class RecordedKernels {
 public:
  /// `profile` is indexed and attached. O(events log operators).
  explicit RecordedKernels(const profile::Profile& profile);

  [[nodiscard]] const graph::KernelTable& table() const { return table_; }
  /// `work`: index in Profile::works. kNoKernel if unknown.
  [[nodiscard]] graph::KernelId of(std::size_t work) const { return by_work_[work]; }

 private:
  graph::KernelTable table_;
  std::vector<graph::KernelId> by_work_;
};

}  // namespace orrery::intake
