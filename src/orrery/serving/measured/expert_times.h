// SPDX-License-Identifier: Apache-2.0
//
// Times of the experts of a layer as serving engines run them: one call for everything between the
// router's scores and the sum of the experts.
//
// data/serving/experts.csv has the coefficients of a sum of terms, fitted to kernels that
// AIConfigurator measured (benchmarks/fit_experts.py has the errors). Engines have faster kernels
// for few tokens than training frameworks (TensorRT-LLM's generated kernels, also in vLLM and
// SGLang).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "orrery/serving/measured/engine.h"

namespace orrery::serving {

/// The experts of one layer on one device.
struct ExpertShape {
  std::int64_t tokens = 0;  ///< of the layer, all of which this device has
  std::int64_t hidden = 0;
  std::int64_t inner = 0;  ///< of an expert, as a whole
  std::int64_t top_k = 0, experts = 0;
  std::int64_t parts = 1;    ///< devices that share each expert
  std::int64_t devices = 1;  ///< devices that share the set of experts
};

class ExpertTimes {
 public:
  /// Those of an engine on a device, with weights in `format` (bf16, fp8, fp8_block, nvfp4). Empty:
  /// not measured.
  [[nodiscard]] static ExpertTimes of(std::string_view device, Engine engine,
                                      std::string_view format);

  [[nodiscard]] bool empty() const { return weight_bytes_ == 0; }
  /// Seconds. Not for empty().
  [[nodiscard]] double operator()(const ExpertShape& shape) const;

 private:
  double weight_bytes_ = 0;  ///< of one weight, with its scales
  /// Microseconds: fixed, per MB of weights, GFLOP, MB of tokens, MB of copies, chosen expert.
  std::array<double, 6> coefficients_{};
};

}  // namespace orrery::serving
