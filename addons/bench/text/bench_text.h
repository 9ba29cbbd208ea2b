// SPDX-License-Identifier: Apache-2.0
//
// What came of a recording's replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/outcome/similarity.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/findings.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// One rank's.
struct Benchmark {
  std::uint32_t rank = 0;
  std::string file;
  std::string framework;                       ///< "PyTorch 1.13.0"
  std::string device = "cpu";                  ///< "cuda:1"
  std::string level;                           ///< "top" or "kernel"
  std::string changed{};                       ///< what is not as it was recorded; empty: nothing
  std::string communication = "skip";          ///< or "gloo", "predicted"
  std::uint64_t predicted_communications = 0;  ///< predicted: what the run has of it at that rank
  std::int64_t load_ns = 0, plan_ns = 0;
  bench::ReplayPlan plan;
  std::optional<bench::ReplayOutcome> outcome;  ///< empty: only planned
  std::optional<bench::Similarity> similarity;  ///< as outcome
  bool tables = false;                          ///< of similarity, in the text
};

/// "PyTorch 1.13.0", and on which device where it is not the host.
[[nodiscard]] std::string framework_text(const Benchmark& benchmark);
[[nodiscard]] std::string bench_text(const Benchmark& benchmark, const Findings& findings,
                                     report::Style style);
/// One rank as an object.
void write_benchmark(report::JsonWriter& json, const Benchmark& benchmark);
[[nodiscard]] std::string bench_json(const Benchmark& benchmark, const Findings& findings);

}  // namespace orrery::present
