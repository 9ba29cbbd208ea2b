// SPDX-License-Identifier: Apache-2.0
//
// What a what-if is about: read once, changed many times.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {

/// In short.
[[nodiscard]] StepEstimate estimate_of(const Outcome& outcome);

class WhatIfCase {
 public:
  /// `device`: that a recording was made on; empty: as it says. Errc: those of reading.
  static Result<WhatIfCase> read(Question question, const std::string& device, Watch& watch,
                                 Findings& findings);

  [[nodiscard]] const graph::Workload& workload() const { return load_->workload; }
  [[nodiscard]] const Question& question() const { return question_; }
  [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
  /// No cluster was named.
  [[nodiscard]] bool replayed() const { return cluster_->replay; }
  /// What is trained and how, where that is known; else null.
  [[nodiscard]] const workload::Program* program() const { return load_->program.get(); }

  /// Traces of replicas of a data-parallel job stand for all of it from now on, and dp says how
  /// many there are. Counts replicas_in_turn. Errc: as graph::check_replicas.
  Result<void> become_replicas(Findings& findings);

  /// From now on these come before all others.
  void set_base_changes(const std::vector<std::string>& changes) { question_.changes = changes; }

  /// With these changes. `findings` gets what reading and simulating say. Errc: input_mismatch
  /// where ranks wait for each other for ever.
  [[nodiscard]] Result<Outcome> simulate(std::span<const Change> changes, bool record, Watch& watch,
                                         Findings& findings) const;
  /// In short. Threads may ask at the same time.
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
  std::shared_ptr<const Load> replicas_;  // as they were read; see become_replicas
};

}  // namespace orrery::study
