// SPDX-License-Identifier: Apache-2.0
//
// One instance of an engine: it receives requests and computes step after step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "orrery/serving/engine_options.h"
#include "orrery/serving/scheduler.h"
#include "orrery/serving/step_cost.h"

namespace orrery::serving {

/// Times of one request.
struct RequestTimes {
  Time arrival{};
  Time started{};
  Time first_token{};
  Time last_token{};
  std::uint32_t instance = 0;
  std::uint32_t preemptions = 0;
  std::int64_t cached = 0;  ///< tokens of the prompt that the prefix cache had
  bool ended = false;
};

/// One step.
struct StepRecord {
  Time start{}, end{};
  std::int64_t tokens = 0;
  std::int32_t sequences = 0, decodes = 0;  ///< in the step
  std::int32_t samples = 0;                 ///< sequences that generate a token
  std::int32_t running = 0, waiting = 0;    ///< when it starts
  std::int64_t held_blocks = 0;
};

/// What instances share.
struct Service {
  std::span<const Request> requests;
  EngineOptions options;
  const StepCost* cost = nullptr;
  std::int64_t blocks = 0, block_tokens = 16;
  std::vector<RequestTimes>* times = nullptr;  ///< by request
  std::vector<std::uint32_t>* gaps = nullptr;  ///< all gaps between tokens in microseconds
};

class Instance {
 public:
  Instance(const Service& service, std::uint32_t number);

  /// A request arrives in the queue.
  void submit(std::uint32_t request);
  /// The end of the step that runs; kTimeMax: none runs.
  [[nodiscard]] Time step_end() const { return step_end_; }
  /// Ends the step that ends at `now`; appends the requests that ended to `ended`.
  void end_step(Time now, std::vector<std::uint32_t>& ended);
  /// Starts the next step if none runs and there is work.
  void start_step(Time now);

  /// Requests that have not ended.
  [[nodiscard]] std::int64_t load() const {
    return static_cast<std::int64_t>(state_.waiting.size() + state_.running.size());
  }
  /// Tokens of a request that the prefix cache has.
  [[nodiscard]] std::int64_t cached_tokens(std::uint32_t request) const;
  [[nodiscard]] const EngineState& state() const { return state_; }
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return steps_; }

 private:
  [[nodiscard]] StepShape shape_of(const std::vector<PlannedTokens>& plan) const;
  void record_token(const Sequence& one, Time now);

  const Service* service_;
  std::uint32_t number_;
  std::unique_ptr<Scheduler> scheduler_;
  EngineState state_;
  std::vector<PlannedTokens> running_plan_, next_plan_;
  Time step_end_ = kTimeMax;
  std::vector<StepRecord> steps_;
};

}  // namespace orrery::serving
