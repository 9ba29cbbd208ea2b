// SPDX-License-Identifier: Apache-2.0
//
// The setups of a server that a search tries: devices, sizes of an instance, limits of a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/study/serving/infer.h"

namespace orrery::explore {

/// Instances of one size on one device: they differ in the limits of a step only.
struct InstanceSize {
  study::InferQuestion question;  ///< with device, sizes and the price of the device; one instance
  double price = 1;               ///< of a device hour; 1 without prices
  bool is_fallback = false;       ///< only for models that no smaller size on the device holds

  /// Devices of an instance.
  [[nodiscard]] std::int64_t devices() const {
    return question.engine.tensor_parallel_size * question.engine.data_parallel_size;
  }
};

/// Limits of a step, under the names of EngineQuestion.
struct StepLimits {
  std::int64_t max_num_batched_tokens = 0, max_num_seqs = 0;
};

/// The devices that --gpu names, in its order. Errc: usage (one is named twice), config_not_found.
[[nodiscard]] Result<std::vector<std::string>> devices_of(const std::string& gpu);

/// Sizes to try: those that the question states, else on each device tensor parallelism of 1, 2, 4
/// … up to a node (8 devices, or the vendor's island if it is smaller), and of models with experts
/// also experts on separate devices, with 1 to 8 copies of attention on a node; 2 and 4 nodes as
/// fallbacks. Errc: usage (prices), config_*.
[[nodiscard]] Result<std::vector<InstanceSize>> instance_sizes(
    const study::InferQuestion& question);

/// Limits to try: those that the question states, else the engine's default and powers of two:
/// 1,024 to 16,384 tokens, 32 to 1,024 sequences. The defaults come first. Steps have at least as
/// many tokens as sequences. Errc: config_*.
[[nodiscard]] Result<std::vector<StepLimits>> step_limits(const InstanceSize& size);

}  // namespace orrery::explore
