// SPDX-License-Identifier: Apache-2.0
//
// The contract for models of kernel times: how long one kernel takes alone on an idle device.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/model/time_estimate.h"

namespace orrery::model {

/// One kernel's time, and how far to trust it.
struct KernelTime {
  double seconds = 0;  ///< of all launches; more than 0
  TimeSource source = TimeSource::roofline;
  ErrorBand band{};           ///< that holds 80 % of what is measured, as shares of the time
  bool extrapolated = false;  ///< outside of what the model was measured or trained on
};

/// Answers for kernels one by one; the same question has the same answer. Thread-safe.
class KernelModel {
 public:
  virtual ~KernelModel() = default;
  /// Nothing for a kernel or a device that it cannot say anything about.
  [[nodiscard]] virtual std::optional<KernelTime> time(const graph::Kernel& kernel,
                                                       const Silicon& silicon) const = 0;
};

}  // namespace orrery::model
