// SPDX-License-Identifier: Apache-2.0
//
// The order of a plan's steps: blocks, dependencies, messages, signals and packets as one graph
// over all steps of all ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

inline constexpr std::uint32_t kNoStep = std::numeric_limits<std::uint32_t>::max();

/// Errors of a plan. Up to wait_cycle they prevent it from running.
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
/// A description: "send without a receive".
[[nodiscard]] std::string_view name(PlanFault fault);

/// An error at one position.
struct PlanError {
  PlanFault fault = PlanFault::wait_cycle;
  StepPosition at{};                 ///< the step of the error
  bool has_step = true;              ///< false: the error has no step, only the rank `at.rank`
  std::string what;                  ///< description
  std::vector<std::string> history;  ///< how the error came about, in lines
};

/// The reason why a step waits for another.
enum class PlanEdge : std::uint8_t { block, dependency, message, counter, packet };

/// Numbers all steps of a plan by rank, block and step.
class StepIndex {
 public:
  explicit StepIndex(const Plan& plan);
  [[nodiscard]] std::uint32_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t index_of(const StepPosition& at) const {
    return first_[first_block_[at.rank] + at.block] + at.step;
  }
  [[nodiscard]] StepPosition at(std::uint32_t number) const;

 private:
  std::vector<std::uint32_t> first_;        // by block of all ranks
  std::vector<std::uint32_t> first_block_;  // by rank
  std::vector<std::uint32_t> rank_of_;      // by block
};

struct PlanOrder {
  StepIndex numbers;
  std::vector<std::uint32_t> sender_of;       ///< by step: the step whose message it receives; else
                                              ///< kNoStep
  std::vector<std::uint32_t> before_offsets;  ///< steps before step n: before[before_offsets[n] …
                                              ///< before_offsets[n + 1])
  std::vector<std::uint32_t> before;          ///< predecessors of all steps
  std::vector<PlanEdge> why;                  ///< by entry of `before`: the reason
  std::vector<std::uint32_t> order;  ///< an order that the graph allows; incomplete if it has a
                                     ///< cycle
  std::vector<PlanError> errors;

  [[nodiscard]] std::span<const std::uint32_t> before_of(std::uint32_t step) const {
    return {before.data() + before_offsets[step], before_offsets[step + 1] - before_offsets[step]};
  }
};

/// Computes the order of the steps of a plan. The k-th receive of a connection matches its k-th
/// send. A step that waits for a counter follows the posts that raise it to that level: the k-th
/// post of a single poster, or all posts of several posters. Errors are: steps that do not match, a
/// span outside its buffer, and one cycle of waits (the shortest found). O(steps + edges + packets'
/// chunks), without sorting.
[[nodiscard]] PlanOrder make_plan_order(const Plan& plan);

}  // namespace orrery::synthesis
