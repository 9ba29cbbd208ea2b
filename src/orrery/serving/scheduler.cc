// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/scheduler.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::serving {
namespace {

using Plan = std::vector<PlannedTokens>;

const Request& request_of(const EngineState& state, const Sequence& one) {
  return state.requests[one.request];
}

/// Blocks for the first `tokens` tokens of a sequence.
bool extend(EngineState& state, Sequence& one, std::int64_t tokens) {
  return state.cache.extend(request_of(state, one), one.request, tokens, one.held);
}

/// Adds `tokens` tokens to the plan, and counts them as computed.
void put(EngineState& state, Plan& plan, std::uint32_t index, std::int64_t tokens) {
  Sequence& one = state.sequences[index];
  PlannedTokens planned{index, tokens, one.computed};
  one.computed += tokens;
  planned.samples = one.computed == one.length();
  planned.decodes = planned.samples && tokens == 1 && one.generated > 0;
  if (one.computed <= one.input) state.cache.mark_computed(one.computed, one.held);
  if (planned.samples) ++one.generated;
  planned.ends = planned.samples && one.is_complete();
  plan.push_back(planned);
}

/// Takes the blocks of a running request away. It waits at the front and is computed again.
/// `cached`: its generated tokens stay in the prefix cache, not only its prompt.
void preempt(EngineState& state, std::uint32_t index, bool cached) {
  Sequence& one = state.sequences[index];
  if (cached) state.cache.mark_computed(one.computed, one.held);
  state.cache.release(one.held);
  one.computed = 0;
  ++one.preemptions;
  ++state.preemptions;
  std::erase(state.running, index);
  state.waiting.push_front(index);
}

/// Tokens that a step computes of a prompt with `missing` tokens; 0: it must wait.
std::int64_t chunk_of(const EngineOptions& options, std::int64_t missing, std::int64_t budget) {
  std::int64_t tokens = missing;
  if (options.long_prefill_token_threshold > 0)
    tokens = std::min(tokens, options.long_prefill_token_threshold);
  if (tokens <= budget) return tokens;
  return options.enable_chunked_prefill ? budget : 0;
}

/// Moves the first waiting request to the running ones, with its cached tokens.
std::uint32_t start_first(EngineState& state, std::int64_t cached) {
  const std::uint32_t index = state.waiting.front();
  Sequence& one = state.sequences[index];
  state.waiting.pop_front();
  state.running.push_back(index);
  state.cache.hold(request_of(state, one), one.request, cached, one.held);
  one.computed = cached;
  if (!one.started) one.cached = cached;
  one.started = true;
  return index;
}

std::int64_t cached_tokens(const EngineState& state, const Sequence& one) {
  return state.cache.cached_tokens(request_of(state, one), one.request, one.length());
}

/// Whether `tokens` tokens of a waiting request have blocks, `cached` of which are there. A request
/// that is alone has all of them.
bool has_blocks(EngineState& state, const Sequence& one, std::int64_t tokens, std::int64_t cached) {
  const Request& request = request_of(state, one);
  const std::int64_t needed = state.cache.blocks_of(tokens) - cached / state.cache.block_tokens();
  if (needed <= state.cache.free_without(request, one.request, cached)) return true;
  if (!state.running.empty()) return false;
  state.cache.trim(request, one.request, cached);
  return needed <= state.cache.free_without(request, one.request, cached);
}

class VllmScheduler : public Scheduler {
 public:
  explicit VllmScheduler(const EngineOptions& options) : options_(options) {}

  Plan plan(EngineState& state) override {
    Plan plan;
    std::int64_t budget = options_.max_num_batched_tokens;
    const std::uint64_t before = state.preemptions;
    for (std::size_t i = 0; i < state.running.size() && budget > 0; ++i) {
      const std::uint32_t index = state.running[i];
      Sequence& one = state.sequences[index];
      const std::int64_t missing = one.is_complete() ? 0 : one.length() - one.computed;
      if (missing == 0) continue;
      const std::int64_t tokens = chunk_of(options_, missing, budget);
      if (tokens == 0 || !make_room(state, index, one.computed + tokens)) break;
      put(state, plan, index, tokens);
      budget -= tokens;
    }
    if (state.preemptions == before) start_waiting(state, plan, budget);
    return plan;
  }

 private:
  /// Preempts the requests that started last until `index` has blocks. False: it was the last.
  static bool make_room(EngineState& state, std::uint32_t index, std::int64_t tokens) {
    while (!extend(state, state.sequences[index], tokens)) {
      std::size_t victim = state.running.size();
      while (victim > 0 && state.sequences[state.running[victim - 1]].is_complete()) --victim;
      ORRERY_CHECK(victim > 0);
      const std::uint32_t last = state.running[victim - 1];
      preempt(state, last, true);
      if (last == index) return false;
    }
    return true;
  }

  void start_waiting(EngineState& state, Plan& plan, std::int64_t budget) const {
    while (!state.waiting.empty() && budget > 0 &&
           static_cast<std::int64_t>(state.running.size()) < options_.max_num_seqs) {
      const Sequence& one = state.sequences[state.waiting.front()];
      const std::int64_t cached = cached_tokens(state, one);
      const std::int64_t tokens = chunk_of(options_, one.length() - cached, budget);
      if (tokens == 0) return;
      // scheduler_reserve_full_isl: all known tokens must have blocks.
      if (!has_blocks(state, one, one.length(), cached)) return;
      const std::uint32_t index = start_first(state, cached);
      const bool extended = extend(state, state.sequences[index], cached + tokens);
      ORRERY_CHECK(extended);
      put(state, plan, index, tokens);
      budget -= tokens;
    }
  }

  EngineOptions options_;
};

class SglangScheduler : public Scheduler {
 public:
  explicit SglangScheduler(const EngineOptions& options) : options_(options), ratio_(kFirstRatio) {}

  Plan plan(EngineState& state) override {
    if (steps_ >= options_.scheduler_recv_interval) receive(state);
    Plan plan = prefill(state);
    if (plan.empty()) {
      ++steps_;
      plan = decode(state);
      if (!plan.empty()) return plan;
      receive(state);  // without work
      plan = prefill(state);
    }
    steps_ = options_.scheduler_recv_interval;  // new requests are received after a prompt
    return plan;
  }

 private:
  void receive(const EngineState& state) {
    steps_ = 0;
    received_ = state.sequences.size();
  }

  // SGLANG_INIT_NEW_TOKEN_RATIO, SGLANG_MIN_NEW_TOKEN_RATIO_FACTOR,
  // SGLANG_NEW_TOKEN_RATIO_DECAY_STEPS and SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION.
  static constexpr double kFirstRatio = 0.7, kLeastFactor = 0.14, kSteps = 600;
  static constexpr std::int64_t kLongestExpected = 4096;
  static constexpr std::int64_t kRetractSteps = 20;  // SGLANG_RETRACT_DECODE_STEPS

  static std::int64_t expected_output(const Sequence& one) {
    return std::min(one.output - one.generated, kLongestExpected);
  }

  Plan prefill(EngineState& state) {
    Plan plan;
    std::int64_t budget = options_.max_num_batched_tokens;
    double reserved = 0;  // tokens
    for (const std::uint32_t index : state.running) {
      Sequence& one = state.sequences[index];
      if (one.is_complete()) continue;
      reserved += ratio_ * static_cast<double>(expected_output(one));
      // The last admitted prompt continues.
      const std::int64_t missing = one.length() - one.computed;
      if (missing <= 1 && one.generated > 0) continue;
      const std::int64_t tokens = chunk_of(options_, missing, budget);
      if (tokens == 0 || !extend(state, one, one.computed + tokens)) continue;
      put(state, plan, index, tokens);
      budget -= tokens;
    }
    while (!state.waiting.empty() && state.waiting.front() < received_ && budget > 0 &&
           static_cast<std::int64_t>(state.running.size()) < options_.max_num_seqs) {
      const Sequence& one = state.sequences[state.waiting.front()];
      const std::int64_t cached = cached_tokens(state, one);
      const std::int64_t missing = one.length() - cached;
      const std::int64_t tokens = chunk_of(options_, missing, budget);
      if (tokens == 0) break;
      const std::int64_t expected = expected_output(one);
      const auto wanted = static_cast<double>(missing + expected);
      const auto free = static_cast<double>(
          state.cache.free_without(request_of(state, one), one.request, cached) *
          state.cache.block_tokens());
      const bool alone = state.running.empty();
      if (!has_blocks(state, one, one.length(), cached) || (!alone && wanted + reserved > free))
        break;
      reserved += static_cast<double>(expected);
      const std::uint32_t index = start_first(state, cached);
      // The blocks of the complete prompt, so that its next chunks need none.
      const bool extended = extend(state, state.sequences[index], state.sequences[index].length());
      ORRERY_CHECK(extended);
      put(state, plan, index, tokens);
      budget -= tokens;
    }
    return plan;
  }

  Plan decode(EngineState& state) {
    Plan plan;
    retract(state);
    for (const std::uint32_t index : std::vector<std::uint32_t>(state.running)) {
      Sequence& one = state.sequences[index];
      if (one.is_complete() || !extend(state, one, one.length())) continue;
      put(state, plan, index, one.length() - one.computed);
    }
    ratio_ =
        std::max(ratio_ - kFirstRatio * (1 - kLeastFactor) / kSteps, kFirstRatio * kLeastFactor);
    return plan;
  }

  /// Retracts requests with the fewest generated tokens, of equal ones that with the longest
  /// prompt, until all others have a block for one more. Then the expected share of outputs is what
  /// they have generated, and 20 more tokens each (retract_decode).
  void retract(EngineState& state) {
    const auto needed = [&] {
      std::int64_t blocks = 0;
      for (const std::uint32_t index : state.running) {
        const Sequence& one = state.sequences[index];
        if (!one.is_complete())
          blocks +=
              std::max<std::int64_t>(state.cache.blocks_of(one.length()) - one.held.blocks(), 0);
      }
      return blocks;
    };
    bool retracted = false;
    while (needed() > state.cache.free_blocks()) {
      const Sequence* least = nullptr;
      for (const std::uint32_t index : state.running) {
        const Sequence& one = state.sequences[index];
        if (one.is_complete()) continue;
        if (least == nullptr ||
            std::pair(one.generated, -one.input) <= std::pair(least->generated, -least->input))
          least = &one;
      }
      if (least == nullptr) break;
      preempt(state, static_cast<std::uint32_t>(least - state.sequences.data()), false);
      retracted = true;
    }
    if (!retracted) return;
    std::int64_t generated = 0, longest = 0;
    for (const std::uint32_t index : state.running) {
      const Sequence& one = state.sequences[index];
      if (one.is_complete()) continue;
      generated += one.generated + kRetractSteps;
      longest += one.output;
    }
    ratio_ = std::min(1.0, static_cast<double>(generated) / static_cast<double>(longest + 1));
  }

  EngineOptions options_;
  double ratio_;
  std::size_t received_ = 0;  // sequences that arrived before the last look at the queue
  std::int64_t steps_ = 0;    // since then
};

class TrtllmScheduler : public Scheduler {
 public:
  explicit TrtllmScheduler(const EngineOptions& options) : options_(options) {}

  Plan plan(EngineState& state) override {
    Plan plan;
    std::int64_t budget = options_.max_num_batched_tokens, reserved = 0;
    std::int64_t growth = 0;  // blocks that running requests will need, beyond those they hold
    const auto reserve = [&](const Sequence& one) {
      const std::int64_t whole = state.cache.blocks_of(one.input + one.output);
      reserved += std::max(whole, one.held.blocks());
      growth += std::max<std::int64_t>(whole - one.held.blocks(), 0);
    };
    for (const std::uint32_t index : std::vector<std::uint32_t>(state.running)) {
      Sequence& one = state.sequences[index];
      const std::int64_t missing = one.is_complete() ? 0 : one.length() - one.computed;
      const std::int64_t tokens = missing == 0 ? 0 : chunk_of(options_, missing, budget);
      if (tokens > 0 && extend(state, one, one.computed + tokens)) {
        put(state, plan, index, tokens);
        budget -= tokens;
      }
      reserve(one);
    }
    while (!state.waiting.empty() && budget > 0 &&
           static_cast<std::int64_t>(state.running.size()) < options_.max_num_seqs) {
      const Sequence& one = state.sequences[state.waiting.front()];
      const std::int64_t cached = cached_tokens(state, one);
      const std::int64_t tokens = chunk_of(options_, one.length() - cached, budget);
      const std::int64_t whole = state.cache.blocks_of(one.input + one.output);
      if (tokens == 0 || reserved + whole > state.cache.blocks()) break;
      // Requests that ended may leave blocks in a part that others still hold.
      if (!has_blocks(state, one, (whole + growth) * state.cache.block_tokens(), cached)) break;
      const std::uint32_t index = start_first(state, cached);
      const bool extended = extend(state, state.sequences[index], cached + tokens);
      ORRERY_CHECK(extended);
      put(state, plan, index, tokens);
      reserve(state.sequences[index]);
      budget -= tokens;
    }
    return plan;
  }

 private:
  EngineOptions options_;
};

class StaticScheduler : public Scheduler {
 public:
  explicit StaticScheduler(const EngineOptions& options) : options_(options) {}

  Plan plan(EngineState& state) override {
    Plan plan;
    if (state.running.empty()) start_batch(state);
    // Prompts first: decoding starts when all prompts are computed.
    const bool prompts = std::ranges::any_of(
        state.running, [&](std::uint32_t index) { return state.sequences[index].generated == 0; });
    std::int64_t budget = options_.max_num_batched_tokens;
    for (const std::uint32_t index : std::vector<std::uint32_t>(state.running)) {
      Sequence& one = state.sequences[index];
      const std::int64_t missing = one.is_complete() ? 0 : one.length() - one.computed;
      if (missing == 0) continue;
      if (prompts && one.generated > 0) continue;
      const std::int64_t tokens = chunk_of(options_, missing, budget);
      if (tokens == 0) break;
      const bool extended = extend(state, one, one.computed + tokens);
      ORRERY_CHECK(extended);
      put(state, plan, index, tokens);
      budget -= tokens;
      if (budget == 0) break;
    }
    return plan;
  }

 private:
  void start_batch(EngineState& state) const {
    std::int64_t blocks = 0;
    while (!state.waiting.empty() &&
           static_cast<std::int64_t>(state.running.size()) < options_.max_num_seqs) {
      const Sequence& one = state.sequences[state.waiting.front()];
      blocks += state.cache.blocks_of(one.input + one.output);
      if (blocks > state.cache.blocks()) break;
      start_first(state, 0);
    }
  }

  EngineOptions options_;
};

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(const EngineOptions& options) {
  switch (options.engine) {
    case Engine::vllm:
      break;
    case Engine::sglang:
      return std::make_unique<SglangScheduler>(options);
    case Engine::trtllm:
      return std::make_unique<TrtllmScheduler>(options);
    case Engine::static_batches:
      return std::make_unique<StaticScheduler>(options);
  }
  return std::make_unique<VllmScheduler>(options);
}

}  // namespace orrery::serving
