// SPDX-License-Identifier: Apache-2.0
//
// A benchmark for each distinct operator of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"

namespace orrery::bench {

/// One operator with one set of arguments: what it takes exists before, nothing comes after it.
struct Microbenchmark {
  std::string name;          ///< of the recorded operator, with its overload
  std::string tensors;       ///< what it takes: "float [32,64], int64 [8]"
  std::uint64_t weight = 0;  ///< so often it is in the plan
  Time recorded{};           ///< all of those together
  std::optional<graph::Kernel> kernel;
  ReplayPlan plan;
};

/// In the order in which they come first; operators that became no step are none. `filter`: only
/// those whose name contains it. `memory_limit`: as of make_plan, for each by itself. Errc: usage
/// where no operator has that name; limit_exceeded. O(plan).
[[nodiscard]] Result<std::vector<Microbenchmark>> microbenchmarks_of(const ReplayPlan& plan,
                                                                     std::string_view filter,
                                                                     std::int64_t memory_limit);

/// All of them as one file, which generated programs play one after another:
///
///   orrery microbenchmarks 1
///   benchmark TAB weight TAB recorded nanoseconds TAB operator TAB tensors TAB kernel
///
/// each followed by its plan (plan_text.h).
[[nodiscard]] std::string microbenchmark_text(const std::vector<Microbenchmark>& all);

/// What was measured of one of them.
struct MicrobenchmarkTime {
  TimePercentiles each;        ///< of one call
  std::uint64_t failures = 0;  ///< iterations in which a step did not work
  std::string reason;          ///< of the first
};
[[nodiscard]] MicrobenchmarkTime microbenchmark_time(const Microbenchmark& micro,
                                                     const ReplayOutcome& outcome);

/// Those whose kernel is known and that did not fail, as `orrery kernels` reads measured ones:
/// "device,kernel,us", by median. What has no kernel is left out.
[[nodiscard]] std::string measured_kernels(const std::vector<Microbenchmark>& all,
                                           const std::vector<MicrobenchmarkTime>& times,
                                           std::string_view device);

}  // namespace orrery::bench
