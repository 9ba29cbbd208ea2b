// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

/// The times of a kernel's FLOPs and of its bytes at the rates of a device, in seconds; 0: it has
/// none, or the data sheet does not contain the rate.
struct RooflineTimes {
  double compute = 0;
  double memory = 0;

  /// The roofline: no kernel is faster.
  [[nodiscard]] double longer() const { return compute > memory ? compute : memory; }
  [[nodiscard]] bool is_compute_bound() const { return compute > memory; }
};

/// FLOPs have the rate of the matrix units for matrix products, otherwise that of the vector units;
/// bytes have the memory bandwidth. `scale`: ratio of peaks to those of the data sheet. Empty if
/// both times are 0, or if a product's format has no known peak. Source: Williams, Waterman,
/// Patterson, "Roofline" (CACM 2009).
[[nodiscard]] std::optional<RooflineTimes> roofline_times(const graph::Kernel& kernel,
                                                          const Silicon& silicon, double scale = 1);

/// The roofline of a kernel in its own formats: the longer of the times of its FLOPs and its bytes
/// (roofline_times). A lower bound, without a launch.
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
