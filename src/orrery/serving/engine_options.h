// SPDX-License-Identifier: Apache-2.0
//
// The settings of a serving engine, under the names that the engines use.
#pragma once

#include <cstdint>

#include "orrery/core/quantity.h"
#include "orrery/serving/measured/engine.h"

namespace orrery::serving {

/// Time of the server in addition to the kernels of a step.
struct ServerTime {
  Time step{};          ///< between the kernels of two steps
  Time sequence{};      ///< the same, for each sequence of the step
  Time request{};       ///< of a request before it is queued, in its latency
  Time prompt_token{};  ///< the same, for each token of its prompt
  Time launch{};        ///< of the host for each kernel of a step that no CUDA graph has
};

struct EngineOptions {
  Engine engine = Engine::vllm;
  std::int64_t max_num_seqs = 256;                ///< sequences of a step
  std::int64_t max_num_batched_tokens = 2048;     ///< tokens of a step
  std::int64_t long_prefill_token_threshold = 0;  ///< tokens of a chunk; 0: only by the budget
  std::int64_t scheduler_recv_interval = 1;  ///< SGLang: decode steps between looks at the queue
  bool enable_chunked_prefill = true;        ///< false: a step computes a prompt completely
  bool enable_prefix_caching = true;
  /// The next step is planned when a step starts, not when it ends (vLLM's `async_scheduling`,
  /// SGLang's and TensorRT-LLM's overlap scheduler).
  bool async_scheduling = true;
  ServerTime server;
};

}  // namespace orrery::serving
