// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

/// What the kernels of a recording compute, as far as their operators' shapes say: an operator's
/// only kernel, or of several the one whose name is a product's where the operator is one. Linear
/// in works.
class RecordedKernels {
 public:
  explicit RecordedKernels(const profile::Profile& profile);

  [[nodiscard]] const graph::KernelTable& table() const { return table_; }
  /// Of a place in Profile::works; kNoKernel where nothing says.
  [[nodiscard]] graph::KernelId of(std::size_t work) const { return by_work_[work]; }

 private:
  graph::KernelTable table_;
  std::vector<graph::KernelId> by_work_;
};

}  // namespace orrery::intake
