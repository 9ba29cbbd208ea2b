// SPDX-License-Identifier: Apache-2.0
//
// Logs of training and serving programs: they have measured steps, but neither the model nor the
// plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::validate {

struct TrainingLog {
  std::string_view tool;  ///< "Megatron-LM"
  std::string_view unit;  ///< of `median_value`: "ms per step", "tokens/s per device"
  std::uint64_t lines = 0;
  double median_value = 0;  ///< without the first line, which warms up, if there are others
  std::int64_t batch = 0;   ///< sequences per step; 0: not stated
  bool serves = false;      ///< of a server of a model, else of training
};

/// Finds the lines with measurements of Megatron-LM, torchtitan, the Trainer of Hugging Face, NeMo,
/// MaxText, DeepSpeed, vLLM or SGLang. Empty: there are none. O(text).
[[nodiscard]] std::optional<TrainingLog> find_training_log(std::string_view text);

/// "is a log of Megatron-LM with 90 lines of measurements: 1234.5 ms per step (median), 64
/// sequences per step".
[[nodiscard]] std::string describe(const TrainingLog& log);

}  // namespace orrery::validate
