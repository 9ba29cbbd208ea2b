// SPDX-License-Identifier: Apache-2.0
//
// A recording played again, and how far that is from what was recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/inspection/inspection.h"
#include "orrery/profile/replay/dependency_changes.h"
#include "orrery/profile/replay/replay_drift.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {

struct ReplayQuestion {
  RecordedTraces recorded;
  profile::CostScales scales;              ///< what takes another time than it took
  profile::IgnoredDependencies leave_out;  ///< what is not modelled, to see what it is worth
  bool together = true;  ///< ranks wait for each other in communications; else each takes its time
  /// Each iteration but the first takes the times of the one before: how good a prediction of the
  /// next iteration is.
  bool learn = false;
  bool keep_profiles = false;  ///< ReplayedRank::profile
  /// May change costs further, after all of these. Called by several threads.
  std::function<void(const profile::Profile&, profile::Dependencies&)> adjust = {};
};

/// One iteration: from where it begins to where the next one does, the last to its own end.
struct ReplayedStep {
  std::int64_t number = -1;
  Time recorded{}, simulated{};
};

/// The parts of a dependency kind that were inferred, and how long waits are that nothing explains.
struct InferenceCounts {
  std::uint64_t edges = 0, guessed = 0;
  std::uint64_t recorded_waits = 0;
  Time waited{};
  /// Works and steps after the first iteration, and those that take another one's times
  /// (ReplayQuestion::learn).
  std::uint64_t to_learn = 0, learned = 0;
};

struct ReplayedRank {
  std::uint32_t rank = 0;
  std::string file, device;
  Time recorded{}, simulated{};  ///< from the first event to the end of the last
  std::vector<ReplayedStep> steps;
  profile::Breakdown recorded_parts, simulated_parts;  ///< as `inspect` has them, of all
  profile::Breakdown accounted;  ///< as the simulator itself counts, which `orrery run` shows
  bool on_device = false;        ///< … of the device, not of the threads
  profile::ReplayDrift drift;
  std::string drift_begins, drift_farthest;  ///< names of the events; empty: there is none
  InferenceCounts unknowns;
  Time bin{};  ///< of the busy curves
  std::vector<double> recorded_busy, simulated_busy;
  /// The rank with simulated times (ReplayQuestion::keep_profiles), else null.
  std::shared_ptr<profile::Profile> profile;
};

struct Replay {
  std::vector<ReplayedRank> ranks;  ///< ascending by rank
  Findings findings;
};

/// Rebuilds the schedule of recorded ranks from their dependencies alone, and compares it with the
/// recording. Communications of which all ranks are there wait for the last of these and then take
/// what the transfer took (sim::RecordedCollectives); all others take what they were recorded to.
/// Errc: as intake::load_job; input_unsupported for traces without times, or without two iterations
/// to learn from; input_mismatch if it
/// cannot come to its end.
[[nodiscard]] Result<Replay> replay(const ReplayQuestion& question, Watch& watch);

}  // namespace orrery::study
