// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

/// What the kernels of a recording compute, as far as their operators say (operator_kernels.h): of
/// several kernels of one operator the one that does its work, by its name
/// (trace/operators/kernel_parts.h). Copies and fills by the device's engines are known by their
/// bytes.
class RecordedKernels {
 public:
  /// `profile` is indexed and attached. O(events log operators).
  explicit RecordedKernels(const profile::Profile& profile);

  [[nodiscard]] const graph::KernelTable& table() const { return table_; }
  /// Of a place in Profile::works; kNoKernel where nothing says.
  [[nodiscard]] graph::KernelId of(std::size_t work) const { return by_work_[work]; }

 private:
  graph::KernelTable table_;
  std::vector<graph::KernelId> by_work_;
};

}  // namespace orrery::intake
