// SPDX-License-Identifier: Apache-2.0
//
// Predicted times of recorded kernels on an idle device.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "orrery/model/compute/kernel_models.h"
#include "orrery/study/recordings/operators/operator_calls.h"

namespace orrery::study {

/// Recorded kernels that a model predicts, and their predicted time alone.
struct AloneTimes {
  Time recorded{};
  Time alone{};

  AloneTimes& operator+=(const AloneTimes& other) {
    recorded += other.recorded;
    alone += other.alone;
    return *this;
  }
};

/// Predicts the kernels of one rank, each computation once for each device.
class AloneModels {
 public:
  /// `models`: the first one with a prediction is used. All arguments must outlive this.
  AloneModels(const std::vector<model::NamedKernelModel>& models, const profile::Profile& profile,
              const OperatorCalls& calls)
      : models_(models), profile_(profile), calls_(calls) {}

  /// The kernels of a call, except those that communicate, copy or have no prediction.
  [[nodiscard]] AloneTimes times(const OperatorCall& call);

 private:
  const std::vector<model::NamedKernelModel>& models_;
  const profile::Profile& profile_;
  const OperatorCalls& calls_;
  std::map<std::pair<const model::Silicon*, graph::KernelId>, Time> known_;  // 0: no prediction
};

}  // namespace orrery::study
