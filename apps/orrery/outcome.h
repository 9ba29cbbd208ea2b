// SPDX-License-Identifier: Apache-2.0
//
// A finished (or stalled) run, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs.h"
#include "job.h"
#include "orrery/analysis/breakdown.h"
#include "orrery/analysis/metrics.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"
#include "orrery/sim/simulate.h"
#include "work_options.h"

namespace orrery::app {

struct Outcome {
  Inputs inputs;
  sim::SimResult result;
  Findings findings;  ///< of reading and of simulating
  std::string workload_name;
  std::string platform_name;
  std::optional<Verification> verified;  ///< with --verify-fold
  std::optional<Job> job;                ///< of a generated workload

  /// How much of its work it does; empty where that is not known, or it stalled.
  [[nodiscard]] std::optional<analysis::Throughput> throughput() const;
};

/// Simulates, with progress. The findings of `inputs` are moved into the outcome's. `record`: what
/// a run file needs is kept.
[[nodiscard]] Result<Outcome> simulate(Inputs inputs, Findings findings, const Session& session,
                                       const WorkOptions& work = {}, bool record = false);

[[nodiscard]] analysis::Breakdown break_down(const Outcome& outcome, std::size_t slowest = 3);

/// What the longest chain consists of.
struct ChainParts {
  Time compute{}, comm{}, memory{}, wait{};
  std::vector<std::size_t> longest;  ///< indices of its links, longest first, at most two
};
[[nodiscard]] ChainParts chain_parts(const Outcome& outcome);

/// Which model made the numbers, in words: "recorded durations", "roofline on H100-SXM" …
[[nodiscard]] std::string compute_model(const platform::Platform& platform);
/// The same in a word: "recorded", "roofline", "recorded_or_roofline", "replay".
[[nodiscard]] std::string_view compute_word(const platform::Platform& platform);
[[nodiscard]] std::string network_model(const platform::Platform& platform);
/// "4 switched × 2 ring"
[[nodiscard]] std::string shape(const platform::Platform& platform);

/// A dozen lines for people; `all`: however many it takes.
[[nodiscard]] std::string summary_text(const Outcome& outcome, report::Style style,
                                       bool all = false);
/// Why the run could not finish, for people.
[[nodiscard]] std::string stall_text(const Outcome& outcome, report::Style style);

/// The value of "result" in the envelope.
void write_result(report::JsonWriter& json, const Outcome& outcome);

/// The whole envelope.
[[nodiscard]] std::string outcome_json(const Outcome& outcome, std::string_view command);

}  // namespace orrery::app
