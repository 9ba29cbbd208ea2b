// SPDX-License-Identifier: Apache-2.0
//
// What came of a recording's operators, each timed by itself.
#pragma once

#include <string>
#include <vector>

#include "addons/bench/programs/microbenchmark.h"
#include "addons/bench/text/bench_text.h"
#include "orrery/core/findings.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

struct MicroBenchmark {
  const Benchmark& planned;
  std::vector<bench::Microbenchmark> all;
  std::vector<bench::MicrobenchmarkTime> times;  ///< as `all`
};

/// Longest first; beside them what the recording says they took.
[[nodiscard]] std::string bench_micro_text(const MicroBenchmark& measured, const Findings& findings,
                                           report::Style style);
/// In the order of the recording.
[[nodiscard]] std::string bench_micro_json(const MicroBenchmark& measured,
                                           const Findings& findings);

}  // namespace orrery::present
