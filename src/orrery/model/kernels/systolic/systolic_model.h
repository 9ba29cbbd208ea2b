// SPDX-License-Identifier: Apache-2.0
//
// Kernel times of a device with one or several systolic arrays.
#pragma once

#include <vector>

#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/systolic/systolic_array.h"

namespace orrery::model {

/// `count` equal products. A kernel is a list of them, which run one after another.
struct SystolicWork {
  SystolicProduct product{};
  std::int64_t count = 1;
};

/// The products of a kernel that run on arrays: gemm, batched and grouped gemm (rows in equal
/// shares; the first shares are one longer if rows do not divide evenly), convolution. Empty: other
/// kernels, or sizes are missing. The gradients of a convolution are products: of the input, m×n by
/// n×k; of the filters, n×m by m×k; `backward` has both.
[[nodiscard]] std::vector<SystolicWork> systolic_work(const graph::Kernel& kernel);

/// Predicts the kernels that systolic_work() supports. The width of formats affects only traffic.
/// The band is empty: the model is exact for SCALE-Sim, whose error relative to devices is unknown.
class SystolicModel : public KernelModel {
 public:
  /// `arrays` > 1: equal products are distributed evenly over the arrays. Without a clock in
  /// `array`, the clock of the device applies.
  explicit SystolicModel(const SystolicArray& array, std::int64_t arrays = 1);

  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;

 private:
  SystolicArray array_;
  std::int64_t arrays_ = 1;
};

}  // namespace orrery::model
