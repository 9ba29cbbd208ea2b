// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/roofline_model.h"

namespace orrery::model {

using graph::Operation;

bool is_matrix_product(Operation operation) {
  switch (operation) {
    case Operation::gemm:
    case Operation::batched_gemm:
    case Operation::grouped_gemm:
    case Operation::attention:
    case Operation::convolution:
    case Operation::interaction:
      return true;
    default:
      return false;
  }
}

std::optional<RooflineTimes> roofline_times(const graph::Kernel& kernel, const Silicon& silicon,
                                            double scale) {
  const double flops = static_cast<double>(kernel.flops);
  const double bytes = static_cast<double>(kernel.bytes);
  double rate = 0;
  if (is_matrix_product(kernel.operation)) {
    rate = silicon.rate(kernel.a);
    if (flops > 0 && rate <= 0) return std::nullopt;
  } else {
    rate = silicon.vector;
  }
  RooflineTimes times;
  times.compute = flops > 0 && rate > 0 ? flops / (rate * scale) : 0;
  times.memory = bytes > 0 && silicon.memory > 0 ? bytes / silicon.memory : 0;
  if (!(times.longer() > 0)) return std::nullopt;
  return times;
}

std::optional<KernelTime> RooflineModel::time(const graph::Kernel& kernel,
                                              const Silicon& silicon) const {
  const auto times = roofline_times(kernel, silicon, scale_);
  if (!times) return std::nullopt;
  KernelTime time;
  time.seconds = times->longer();
  return time;
}

}  // namespace orrery::model
