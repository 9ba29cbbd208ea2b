// SPDX-License-Identifier: Apache-2.0
//
// The input of a what-if: read once, changed many times.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {

/// Summarizes an outcome.
[[nodiscard]] StepEstimate estimate_of(const Outcome& outcome);

class WhatIfCase {
 public:
  /// `device`: device of the recording; empty: the one that it names. Errc: those of reading.
  static Result<WhatIfCase> read(Question question, const std::string& device, Watch& watch,
                                 Findings& findings);

  [[nodiscard]] const graph::Workload& workload() const { return load_->workload; }
  [[nodiscard]] const Question& question() const { return question_; }
  [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
  /// Whether no cluster is given.
  [[nodiscard]] bool replayed() const { return cluster_->replay; }
  /// The program of a job; null for traces.
  [[nodiscard]] const workload::Program* program() const { return load_->program.get(); }

  /// Treats the traces as replicas of a data-parallel job: they replicate to all ranks of the
  /// cluster, and dp sets the number of ranks. Counts replicas_in_turn. Errc: as
  /// graph::check_replicas.
  Result<void> become_replicas(Findings& findings);

  /// Applies `changes` before all others in later simulations.
  void set_base_changes(const std::vector<std::string>& changes) { question_.changes = changes; }

  /// Simulates with `changes`. `findings` receives those of reading and simulating. Errc:
  /// input_mismatch if ranks deadlock.
  [[nodiscard]] Result<Outcome> simulate(std::span<const Change> changes, bool record, Watch& watch,
                                         Findings& findings) const;
  /// Simulates with `changes` and summarizes. Safe to call concurrently.
  [[nodiscard]] Result<StepEstimate> estimate_step(std::span<const Change> changes) const;

 private:
  [[nodiscard]] Result<Outcome> replay_changed(const Question& question,
                                               std::span<const Change> changes, Watch& watch,
                                               Findings& findings) const;
  [[nodiscard]] Result<Load> changed_work(std::span<const Change> changes,
                                          Findings& findings) const;
  [[nodiscard]] Result<Outcome> simulate_changed(Question question, std::span<const Change> changes,
                                                 Watch& watch, Findings& findings) const;
  [[nodiscard]] std::optional<std::string> moved_from(std::span<const Change> changes,
                                                      const platform::Device& to) const;
  [[nodiscard]] Result<Load> load_for(const Question& question, const Cluster& cluster,
                                      Watch& watch, Findings& findings) const;
  Result<void> read_to_replay(Watch& watch, Findings& findings);
  Result<void> read_for_cluster(Watch& watch, Findings& findings);

  Question question_;
  std::shared_ptr<const Cluster> cluster_;
  std::shared_ptr<const Load> load_;
  std::shared_ptr<const Load> replicas_;  // as read; see become_replicas
  model::SuppliedModels measured_;        // files of measured kernels, of replayed recordings
};

}  // namespace orrery::study
