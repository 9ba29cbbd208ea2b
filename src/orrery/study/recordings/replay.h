// SPDX-License-Identifier: Apache-2.0
//
// Replays a recording and compares the result with the recorded times.
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
  profile::CostScales scales;              ///< factors on recorded times
  profile::IgnoredDependencies leave_out;  ///< dependencies to ignore, to measure their effect
  /// If true, ranks wait for each other in communications; else each communication has its recorded
  /// time.
  bool together = true;
  /// Each iteration after the first has the times of the previous one, to measure how well they
  /// predict the next iteration.
  bool learn = false;
  bool keep_profiles = false;  ///< ReplayedRank::profile
  /// Changes costs further, after all of these. Several threads call it.
  std::function<void(const profile::Profile&, profile::Dependencies&)> adjust = {};
};

/// One iteration, from its start to the start of the next; the last one to its own end.
struct ReplayedStep {
  std::int64_t number = -1;
  Time recorded{}, simulated{};
};

/// Counts of inferred dependencies, and the total time of waits without a known cause.
struct InferenceCounts {
  std::uint64_t edges = 0, guessed = 0;
  std::uint64_t recorded_waits = 0;
  Time waited{};
  /// Operations and host steps after the first iteration, and those that have times of another
  /// iteration (ReplayQuestion::learn).
  std::uint64_t to_learn = 0, learned = 0;
};

struct ReplayedRank {
  std::uint32_t rank = 0;
  std::string file, device;
  /// How much later than the first rank it starts, for a cause before the recording.
  Time late_start{};
  Time recorded{}, simulated{};  ///< from the start of the first event to the end of the last
  std::vector<ReplayedStep> steps;
  /// As `orrery trace info` prints them, for the complete rank.
  profile::Breakdown recorded_parts, simulated_parts;
  profile::Breakdown accounted;  ///< as the simulator counts, for `orrery run`
  bool on_device = false;        ///< `drift` is of the device, not of threads
  profile::ReplayDrift drift;
  std::string drift_begins, drift_farthest;  ///< names of events; empty: none
  InferenceCounts unknowns;
  Time bin{};  ///< width of a bin of the busy curves
  std::vector<double> recorded_busy, simulated_busy;
  /// The rank with simulated times if ReplayQuestion::keep_profiles, else null.
  std::shared_ptr<profile::Profile> profile;
};

struct Replay {
  std::vector<ReplayedRank> ranks;  ///< ascending by rank
  Findings findings;
};

/// Rebuilds the schedule of recorded ranks from their dependencies, and compares it with the
/// recording. If all ranks of a communication are recorded, it starts when the last rank arrives
/// and lasts as long as the recorded transfer (sim::RecordedCollectives). Other communications have
/// their recorded time. Errc: as intake::load_job; input_unsupported for traces without times, or
/// without two iterations to learn from; input_mismatch if the ranks deadlock.
[[nodiscard]] Result<Replay> replay(const ReplayQuestion& question, Watch& watch);

}  // namespace orrery::study
