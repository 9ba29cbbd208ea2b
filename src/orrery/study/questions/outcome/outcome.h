// SPDX-License-Identifier: Apache-2.0
//
// A finished (or stalled) simulation with all its inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/core/findings.h"
#include "orrery/result/run.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/collectives/algorithms/algorithm_choice.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/effects.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

struct JobSummary;

/// Result of ExecutionOptions::verify_fold.
struct FoldVerification {
  std::optional<std::string> difference;  ///< of the folded from the unfolded run; empty: none
  sim::Savings savings;                   ///< of the folded one
};

struct Outcome {
  Question question;  ///< settled
  Inputs inputs;
  sim::SimResult result;
  Findings findings;  ///< of reading and of simulating
  std::string workload_name, cluster_name;
  std::optional<FoldVerification> verified;
  std::shared_ptr<const JobSummary> job;  ///< of a generated workload, else null
  std::vector<EffectCost> effects;        ///< once they were tried (try_effects)
  std::vector<AlgorithmChoice> chosen;    ///< for --collective-algorithm auto
  /// What was simulated where that is not what was read (with_kernel_times).
  std::shared_ptr<const graph::Workload> changed;

  [[nodiscard]] const platform::Platform& platform() const { return inputs.platform(); }
  [[nodiscard]] const graph::Workload& workload() const {
    return changed ? *changed : inputs.workload();
  }
};

/// All of a question: settled, read, simulated. `findings` go into the outcome, and what is found
/// before it fails goes into them. `checkpoints` needs no `job`: the question and its files
/// identify it. `caller`: functions that change predicted times; null: none. Errc: also
/// config_conflict if `caller` changes the network and messages contend.
[[nodiscard]] Result<Outcome> answer(Question question, Watch& watch, Findings& findings,
                                     sim::Checkpoints checkpoints = {},
                                     std::shared_ptr<const model::CallerModels> caller = {});

/// Simulates what has been read, with these `findings`. `question` is settled. `max_cpu_seconds`:
/// as sim::Options.
[[nodiscard]] Result<Outcome> simulate(const Question& question, Inputs inputs, Watch& watch,
                                       Findings& findings, sim::Checkpoints checkpoints = {},
                                       double max_cpu_seconds = 0);

/// Simulates the outcome's question again without each effect that is on, into Outcome::effects. A
/// stalled outcome has none. Errc: those of reading and simulating.
[[nodiscard]] Result<void> try_effects(Outcome& outcome);

/// Whether the estimate of its memory is at most what a process can allocate on a device; true if
/// one of the two is unknown.
[[nodiscard]] bool fits_in_memory(const Outcome& outcome);

/// The outcome in short. Its path has no causes: those are known of a run that is kept.
[[nodiscard]] analysis::Digest digest(const Outcome& outcome);
/// Of its path alone; empty: when nodes ran is not known.
[[nodiscard]] std::optional<analysis::PathDigest> digest(
    const std::vector<sim::CriticalPathNode>& links, const graph::Workload& workload);

/// The outcome of a question that was to be recorded, as a run, with the spans that were asked for.
/// The manifest says what it was made from: no absolute path, no clock, so equal inputs give equal
/// bytes.
[[nodiscard]] result::Run make_run(const Outcome& outcome);

}  // namespace orrery::study
