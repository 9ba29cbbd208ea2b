// SPDX-License-Identifier: Apache-2.0
//
// Kernel times of a device that is one systolic array, or several side by side.
#pragma once

#include <vector>

#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/systolic/systolic_array.h"

namespace orrery::model {

/// A kernel as products that run one after another: `count` equal ones each.
struct SystolicWork {
  SystolicProduct product{};
  std::int64_t count = 1;
};

/// What of `kernel` runs on such arrays: gemm, batched and grouped gemm (rows in equal shares, the
/// first of them one longer where they do not divide), convolution. Empty for all else, and for
/// sizes that are missing. A convolution's gradients are the products that they are: of the input,
/// m×n by n×k; of the filters, n×m by m×k; `backward` both.
[[nodiscard]] std::vector<SystolicWork> systolic_work(const graph::Kernel& kernel);

/// Answers for what `systolic_work` knows; the formats' width does not matter but for traffic. Its
/// band is empty: it is exact for SCALE-Sim, and how far that is from a device is not known.
class SystolicModel : public KernelModel {
 public:
  /// `arrays` > 1: equal products are shared out evenly among so many arrays. Without a clock in
  /// `array`, the device's is taken.
  explicit SystolicModel(const SystolicArray& array, std::int64_t arrays = 1);

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;

 private:
  SystolicArray array_;
  std::int64_t arrays_ = 1;
};

}  // namespace orrery::model
