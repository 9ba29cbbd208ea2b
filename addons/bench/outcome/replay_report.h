// SPDX-License-Identifier: Apache-2.0
//
// Which operators of the recording a replay covers, and their times.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/quantity.h"

namespace orrery::bench {

/// The number of operators, and their recorded time.
struct OperatorShare {
  std::uint64_t count = 0;
  Time recorded{};
};

struct RuleUse {
  std::string rule;
  std::string description;
  OperatorShare share;
};

/// Operators that are absent or failed, by name.
struct OperatorProblem {
  std::string name;
  std::uint64_t count = 0;
  std::string reason;  ///< of the first one
};

/// Which operators are replayed, and by which method.
struct Coverage {
  OperatorShare all;
  std::array<OperatorShare, kReplayMethods> by_method{};
  std::vector<RuleUse> rules;           ///< in the table's order
  std::vector<OperatorProblem> absent;  ///< by count, descending
  [[nodiscard]] const OperatorShare& of(ReplayMethod how) const {
    return by_method[static_cast<std::size_t>(how)];
  }
};
[[nodiscard]] Coverage coverage_of(const ReplayPlan& plan);

struct TimePercentiles {
  std::int64_t least = 0, half = 0, p90 = 0, p99 = 0, most = 0;
};
/// Percentiles by nearest rank; all 0 if empty. O(n log n).
[[nodiscard]] TimePercentiles percentiles(std::vector<std::int64_t> numbers);

struct OperatorTime {
  std::string name;
  std::uint64_t calls = 0;    ///< per iteration
  std::int64_t total_ns = 0;  ///< per iteration, mean
  TimePercentiles each;       ///< over single calls
  Time recorded{};
};

struct Timing {
  TimePercentiles wall, cpu;            ///< over iterations
  std::vector<OperatorTime> operators;  ///< by recorded name, longest first
  std::int64_t operators_ns = 0;        ///< total over all operators, mean per iteration
  std::vector<OperatorProblem> failed;  ///< by count per iteration, descending
  std::uint64_t failed_operators = 0;   ///< recorded ones, in any iteration
  std::uint64_t reshaped = 0;
};
[[nodiscard]] Timing timing_of(const ReplayPlan& plan, const ReplayOutcome& outcome);

}  // namespace orrery::bench
