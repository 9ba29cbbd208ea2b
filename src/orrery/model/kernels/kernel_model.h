// SPDX-License-Identifier: Apache-2.0
//
// The interface of kernel time models: the duration of one kernel alone on an idle device.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/model/time_estimate.h"

namespace orrery::model {

/// The predicted time of one kernel, and its error.
struct KernelTime {
  double seconds = 0;  ///< of all launches; more than 0
  TimeSource source = TimeSource::roofline;
  ErrorBand band{};           ///< interval of 80 % of measured times, as shares of the time
  bool extrapolated = false;  ///< outside the range of the model's measurements
};

/// Predicts kernels one by one. Equal inputs give equal results. Thread-safe.
class KernelModel {
 public:
  virtual ~KernelModel() = default;
  /// The time of a kernel on a device. Empty: the model does not cover the kernel or the device.
  [[nodiscard]] virtual std::optional<KernelTime> time(const graph::Kernel& kernel,
                                                       const Silicon& silicon) const = 0;
};

}  // namespace orrery::model
