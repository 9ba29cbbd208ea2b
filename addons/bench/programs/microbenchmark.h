// SPDX-License-Identifier: Apache-2.0
//
// A benchmark for each distinct operator of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/outcome/replay_report.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"

namespace orrery::bench {

/// One operator with one set of arguments. Its inputs exist before it runs; no step follows it.
struct Microbenchmark {
  std::string name;          ///< of the recorded operator, with its overload
  std::string tensors;       ///< types and sizes of its inputs: "float [32,64], int64 [8]"
  std::uint64_t weight = 0;  ///< number of occurrences in the plan
  Time recorded{};           ///< total recorded time of these occurrences
  std::optional<graph::Kernel> kernel;
  ReplayPlan plan;
};

/// In order of first occurrence, without operators that have no step. `filter`: only operators
/// whose name contains it. `memory_limit`: as in make_plan, for each benchmark separately. Errc:
/// usage if no operator has such a name; limit_exceeded. O(plan).
[[nodiscard]] Result<std::vector<Microbenchmark>> microbenchmarks_of(const ReplayPlan& plan,
                                                                     std::string_view filter,
                                                                     std::int64_t memory_limit);

/// All benchmarks as one file, which generated programs run one after another:
///
///   orrery microbenchmarks 1
///   benchmark TAB weight TAB recorded nanoseconds TAB operator TAB tensors TAB kernel
///
/// Each such line is followed by the plan of the benchmark (program_format.h).
[[nodiscard]] std::string microbenchmark_text(const std::vector<Microbenchmark>& all);

/// The measured time of one benchmark.
struct MicrobenchmarkTime {
  TimePercentiles each;        ///< over single calls
  std::uint64_t failures = 0;  ///< iterations in which a step failed
  std::string reason;          ///< cause of the first failure
};
[[nodiscard]] MicrobenchmarkTime microbenchmark_time(const Microbenchmark& micro,
                                                     const ReplayOutcome& outcome);

/// The benchmarks with a known kernel and without failures as measured kernels for `orrery
/// kernels`: "device,kernel,us", medians.
[[nodiscard]] std::string measured_kernels(const std::vector<Microbenchmark>& all,
                                           const std::vector<MicrobenchmarkTime>& times,
                                           std::string_view device);

}  // namespace orrery::bench
