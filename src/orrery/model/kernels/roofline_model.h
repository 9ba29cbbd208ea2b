// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// The roofline of a kernel in its own formats: the longer of the times of its FLOPs and its bytes.
/// FLOPs have the rate of the matrix units for matrix products, otherwise that of the vector units
/// (if the data sheet contains it); bytes have the memory bandwidth. A lower bound, without a
/// launch. Source: Williams, Waterman, Patterson, "Roofline" (CACM 2009).
class RooflineModel final : public KernelModel {
 public:
  /// `scale`: ratio of peaks to those of the data sheet.
  explicit RooflineModel(double scale = 1) : scale_(scale) {}
  [[nodiscard]] std::optional<KernelTime> time(const graph::Kernel& kernel,
                                               const Silicon& silicon) const override;

 private:
  double scale_;
};

/// Whether most FLOPs of the operation are matrix products.
[[nodiscard]] bool is_matrix_product(graph::Operation operation);

}  // namespace orrery::model
