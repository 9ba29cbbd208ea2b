// SPDX-License-Identifier: Apache-2.0
//
// What came of a replay: how much of the recording was replayed, how long that took, by operator.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/quantity.h"

namespace orrery::bench {

/// What was measured. Times are nanoseconds.
struct ReplayOutcome {
  std::int64_t prepare_ns = 0;                    ///< memory, handles, everything before
  std::vector<std::int64_t> wall_ns, cpu_ns;      ///< by iteration; CPU time of the process
  std::vector<std::int64_t> begin_ns, length_ns;  ///< by iteration and step
  /// By iteration and exchange: when it was under way, since the iteration's beginning.
  std::vector<std::int64_t> exchange_begin_ns, exchange_length_ns;
  std::vector<std::uint32_t> failures;  ///< by step: in how many iterations
  std::vector<std::string> reasons;     ///< by step: why, one line
  std::vector<bool> reshaped;           ///< by step: results were of other sizes and made anew
  std::int64_t external_bytes = 0, copies_bytes = 0, peak_bytes = 0;  ///< allocated; a peak of -1
                                                                      ///< is not known
  // Of one more iteration:
  std::vector<std::int64_t> held_bytes, most_bytes;  ///< by step: allocated after it, during it;
                                                     ///< empty: not known
  std::map<std::string, std::uint64_t> ran;          ///< operators by name, inner ones too
  // Of all iterations together:
  std::int64_t energy_uj = -1;  ///< of the machine's processors; -1: they do not say
  std::int64_t energy_ns = 0;   ///< in this time
};

/// How many operators, and how long they took as recorded.
struct OperatorShare {
  std::uint64_t count = 0;
  Time recorded{};
};

struct RuleUse {
  std::string rule;
  std::string says;
  OperatorShare share;
};

/// Operators that are absent or failed, by name.
struct OperatorProblem {
  std::string name;
  std::uint64_t count = 0;
  std::string reason;  ///< of the first
};

/// Which operators are replayed, and how.
struct Coverage {
  OperatorShare all;
  std::array<OperatorShare, kReplayMethods> by_method{};
  std::vector<RuleUse> rules;           ///< in the table's order
  std::vector<OperatorProblem> absent;  ///< most first
  [[nodiscard]] const OperatorShare& of(ReplayMethod how) const {
    return by_method[static_cast<std::size_t>(how)];
  }
};
[[nodiscard]] Coverage coverage_of(const ReplayPlan& plan);

struct TimePercentiles {
  std::int64_t least = 0, half = 0, p90 = 0, p99 = 0, most = 0;
};
/// Nearest rank; all 0 of nothing. O(n log n).
[[nodiscard]] TimePercentiles percentiles(std::vector<std::int64_t> numbers);

struct OperatorTime {
  std::string name;
  std::uint64_t calls = 0;    ///< per iteration
  std::int64_t total_ns = 0;  ///< per iteration, the mean
  TimePercentiles each;       ///< of one call
  Time recorded{};
};

struct Timing {
  TimePercentiles wall, cpu;            ///< of iterations
  std::vector<OperatorTime> operators;  ///< by recorded name, longest first
  std::int64_t operators_ns = 0;        ///< per iteration, the mean of what all of them took
  std::vector<OperatorProblem> failed;  ///< most first; counts are per iteration
  std::uint64_t failed_operators = 0;   ///< recorded ones, in any iteration
  std::uint64_t reshaped = 0;
};
[[nodiscard]] Timing timing_of(const ReplayPlan& plan, const ReplayOutcome& outcome);

}  // namespace orrery::bench
