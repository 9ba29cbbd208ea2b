// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// The roofline of each kernel's own formats: FLOPs at the rate of the matrix units where it
/// multiplies matrices, else of the vector units (where the data sheet says), or bytes at memory
/// bandwidth, whichever takes longer. A lower bound, without a launch. Source: Williams, Waterman,
/// Patterson, "Roofline" (CACM 2009).
class RooflineModel final : public KernelModel {
 public:
  /// Peaks are `scale` of the data sheet's.
  explicit RooflineModel(double scale = 1) : scale_(scale) {}
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;

 private:
  double scale_;
};

/// Whether most of its FLOPs are products of matrices.
[[nodiscard]] bool is_matrix_product(graph::Operation operation);

}  // namespace orrery::model
