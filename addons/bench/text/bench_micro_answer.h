// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery bench --micro`: times of a recording's operators, each measured alone.
#pragma once

#include <vector>

#include "addons/bench/programs/microbenchmark.h"
#include "addons/bench/text/bench_answer.h"

namespace orrery::present {

struct MicroBenchmark {
  const Benchmark& planned;
  std::vector<bench::Microbenchmark> all;
  std::vector<bench::MicrobenchmarkTime> times;  ///< as `all`
};

/// People get the longest operators first, programs the order of the recording.
void state_bench_micro(report::Answer& answer, const MicroBenchmark& measured,
                       const Findings& findings);

}  // namespace orrery::present
