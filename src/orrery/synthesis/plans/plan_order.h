// SPDX-License-Identifier: Apache-2.0
//
// What in a plan comes after what: blocks, dependencies, messages, signals and packets as one
// graph over all steps of all ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

inline constexpr std::uint32_t kNoStep = std::numeric_limits<std::uint32_t>::max();

/// What can be wrong with a plan. The first ones keep it from running.
enum class PlanFault : std::uint8_t {
  outside_buffer,
  no_receiver,
  no_sender,
  sizes_differ,
  never_counted,
  no_packet,
  shared_connection,
  wait_cycle,
  race,
  empty_place,
  added_twice,
  different_added,
  wrong_result,
  wrong_buffers
};
/// "send without a receive" …
[[nodiscard]] std::string_view name(PlanFault fault);

/// One thing that is wrong, at one place.
struct PlanError {
  PlanFault fault = PlanFault::wait_cycle;
  StepPosition at{};                 ///< where it breaks
  bool has_step = true;              ///< false: no step is there; `at.rank` counts
  std::string what;                  ///< a sentence
  std::vector<std::string> history;  ///< how it came to that, a line each
};

/// Why a step waits for another.
enum class PlanEdge : std::uint8_t { block, dependency, message, counter, packet };

/// Steps numbered through: by rank, block, step.
class StepNumbers {
 public:
  explicit StepNumbers(const Plan& plan);
  [[nodiscard]] std::uint32_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t number(const StepPosition& at) const {
    return first_[first_block_[at.rank] + at.block] + at.step;
  }
  [[nodiscard]] StepPosition at(std::uint32_t number) const;

 private:
  std::vector<std::uint32_t> first_;        // by block of all ranks
  std::vector<std::uint32_t> first_block_;  // by rank
  std::vector<std::uint32_t> rank_of_;      // by block
};

struct PlanOrder {
  StepNumbers numbers;
  std::vector<std::uint32_t> sender_of;       ///< by step: whose message it receives; kNoStep
  std::vector<std::uint32_t> before_offsets;  ///< of step n: before[before_offsets[n] … [n + 1])
  std::vector<std::uint32_t> before;          ///< the steps that it waits for
  std::vector<PlanEdge> why;                  ///< as `before`
  std::vector<std::uint32_t> order;  ///< one that the graph allows; shorter than all with a circle
  std::vector<PlanError> errors;

  [[nodiscard]] std::span<const std::uint32_t> before_of(std::uint32_t step) const {
    return {before.data() + before_offsets[step], before_offsets[step + 1] - before_offsets[step]};
  }
};

/// Works it out. The k-th receive of a connection takes its k-th send; a step that waits for a
/// counter comes after whoever must have counted by then: the k-th of its one poster, or all. What
/// does not match, a span outside its buffer, and one circle of waits (the shortest that is met)
/// are errors. O(steps + edges + packets' chunks), but for sorting.
[[nodiscard]] PlanOrder make_plan_order(const Plan& plan);

/// Adds the error. `waits`: by step, for how many steps it still waits; some do, and only for each
/// other.
void add_wait_cycle(const Plan& plan, const std::vector<std::uint32_t>& waits, PlanOrder& order);

}  // namespace orrery::synthesis
