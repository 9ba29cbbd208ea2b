// SPDX-License-Identifier: Apache-2.0
//
// The serving engines.
#pragma once

#include <cstdint>

#include "orrery/config/field.h"

namespace orrery::serving {

enum class Engine : std::uint8_t {
  vllm,            ///< vLLM's v1 scheduler
  sglang,          ///< SGLang: prefill batches before decode batches
  trtllm,          ///< TensorRT-LLM's in-flight batching
  static_batches,  ///< a batch starts when the last one has ended
};

}  // namespace orrery::serving

namespace orrery::config {
template <>
struct EnumNames<serving::Engine> {
  static constexpr auto names =
      names_in_order<serving::Engine::static_batches>("vllm", "sglang", "trtllm", "static");
};
}  // namespace orrery::config
