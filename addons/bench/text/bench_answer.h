// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery bench` for the replay of one rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "addons/bench/outcome/replay_report.h"
#include "addons/bench/outcome/similarity.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// The replay of one rank.
struct Benchmark {
  std::uint32_t rank = 0;
  std::string file;
  std::string framework;                       ///< "PyTorch 1.13.0"
  std::string device = "cpu";                  ///< "cuda:1"
  std::string level;                           ///< "top" or "kernel"
  std::string changed{};                       ///< changes of the recording; empty: none
  std::string communication = "skip";          ///< or "gloo", "predicted"
  std::uint64_t predicted_communications = 0;  ///< of the run at that rank, with "predicted"
  std::int64_t load_ns = 0, plan_ns = 0;
  bench::ReplayPlan plan;
  std::optional<bench::ReplayOutcome> outcome;  ///< empty: only planned
  std::optional<bench::Similarity> similarity;  ///< as outcome
  bool tables = false;  ///< whether the text has the tables of the comparison
};

void state_benchmark(report::Answer& answer, const Benchmark& benchmark, const Findings& findings);

// Also used by other answers and the page.

/// The recording, and the framework that replays it.
void state_recording(report::Answer& answer, const Benchmark& benchmark);
/// Members of an object, in nanoseconds.
void write_percentiles(report::JsonWriter& json, const bench::TimePercentiles& times);

}  // namespace orrery::present
