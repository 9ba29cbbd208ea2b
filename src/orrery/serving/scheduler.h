// SPDX-License-Identifier: Apache-2.0
//
// Which tokens of which requests an engine computes in its next step.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "orrery/serving/engine_options.h"
#include "orrery/serving/kv_cache.h"
#include "orrery/serving/requests.h"

namespace orrery::serving {

/// A request on an instance. Plans count tokens as computed and generated when they are planned.
struct Sequence {
  std::uint32_t request = 0;
  std::int64_t input = 0, output = 0;
  std::int64_t computed = 0;   ///< tokens whose keys and values are in the cache
  std::int64_t generated = 0;  ///< tokens of the output
  std::uint32_t preemptions = 0;
  std::int64_t cached = 0;  ///< tokens that the prefix cache had at its first start
  bool started = false;
  KvHoldings held;

  [[nodiscard]] std::int64_t length() const { return input + generated; }
  [[nodiscard]] bool is_complete() const { return generated == output; }
};

/// Tokens of one sequence in a step.
struct PlannedTokens {
  std::uint32_t sequence = 0;  ///< index in EngineState::sequences
  std::int64_t tokens = 0;
  std::int64_t past = 0;  ///< tokens that were computed before
  bool samples = false;   ///< generates a token
  bool decodes = false;   ///< its only token is the last generated one
  bool ends = false;      ///< generates the last token of its request
};

struct EngineState {
  std::span<const Request> requests;
  std::vector<Sequence> sequences;     ///< all that this instance has received
  std::deque<std::uint32_t> waiting;   ///< indices in `sequences`
  std::vector<std::uint32_t> running;  ///< in the order of their start
  KvCache cache;
  std::uint64_t preemptions = 0;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Plans a step, and updates `state` as if it had been computed. Empty: nothing can be computed.
  [[nodiscard]] virtual std::vector<PlannedTokens> plan(EngineState& state) = 0;
};

/// The scheduler of an engine. Sources:
/// - vLLM: v1/core/sched/scheduler.py (schedule), release 0.19. Running requests first, then
///   waiting ones, first come first served; a prompt fills the rest of the token budget; without
///   free blocks, the request that started last is preempted and computed again.
/// - SGLang: managers/schedule_policy.py (PrefillAdder), schedule_batch.py (retract_decode),
///   release 0.5. A batch of prompts precedes decoding if one can be admitted. A prompt is admitted
///   if blocks remain for the expected outputs of running requests: their remaining tokens times a
///   ratio that falls from 0.7 to 0.098 in 600 decode steps. Without free blocks, requests with
///   the fewest generated tokens are retracted; their generated tokens are not cached. New requests
///   are received every scheduler_recv_interval decode steps, and after each batch of prompts
///   (managers/scheduler_recv_skipper.py).
/// - TensorRT-LLM: in-flight batching with the capacity policy GUARANTEED_NO_EVICT
///   (docs: "Scheduler"): all running requests generate a token, and a waiting request starts if
///   blocks for its prompt and its longest output remain.
/// - static: all waiting requests that fit start together and run until the last has ended.
[[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const EngineOptions& options);

}  // namespace orrery::serving
