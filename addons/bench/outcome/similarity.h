// SPDX-License-Identifier: Apache-2.0
//
// A recording beside its replay: how far they are the same work.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addons/bench/outcome/memory_curves.h"
#include "addons/bench/outcome/operator_work.h"
#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/profile/comm.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// What operators took, and how much of it is known to be calculated and moved.
struct ResourceUse {
  std::uint64_t count = 0;
  std::int64_t ns = 0;
  std::int64_t known_ns = 0;  ///< of those whose flops and bytes are known
  double flops = 0, bytes = 0;

  /// Per second; 0 where nothing is known.
  [[nodiscard]] double flops_rate() const { return known_ns > 0 ? flops / known_ns * 1e9 : 0; }
  [[nodiscard]] double bytes_rate() const { return known_ns > 0 ? bytes / known_ns * 1e9 : 0; }
};

/// Operators of one kind, or of one name. `recorded` goes by the device's time where the recording
/// has a device, else by the host's.
struct OperatorComparison {
  std::string name;  ///< of a name; with its overload
  WorkClass kind = WorkClass::other;
  ResourceUse recorded;
  ResourceUse replayed;  ///< an iteration, each in the median; not those that failed, are absent or
                         ///< left out
  std::int64_t host_ns = 0;   ///< recorded, what ran inside included
  std::uint64_t kernels = 0;  ///< recorded on the device
  std::string rule;           ///< what stands in: the first one's rule; empty: none
};

/// How many operators of a name ran, those that others call too.
struct OperatorCount {
  std::string name;  ///< without overload
  std::uint64_t recorded = 0, replayed = 0;
};

/// Communications of one kind.
struct CommunicationComparison {
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint64_t recorded = 0, replayed = 0;
  std::int64_t bytes = 0;                         ///< recorded, of those that say it
  std::int64_t recorded_ns = 0, replayed_ns = 0;  ///< replayed: as Compared
};

/// How busy what was there was. Empty: nothing says so.
struct Utilisation {
  std::optional<double> device;     ///< recorded: the part of the time in which something ran on it
  std::optional<double> occupancy;  ///< recorded: achieved, as estimated; weighted by time
  std::optional<double> processor;  ///< replayed: CPU time per time and thread
  std::optional<double> watts;      ///< replayed: of the machine's processors
};

struct Similarity {
  std::array<OperatorComparison, kWorkClasses> classes{};  ///< by kind
  std::vector<OperatorComparison> names;       ///< of operators replayed; longest replay first
  std::vector<OperatorCount> ran;              ///< by name
  std::vector<CommunicationComparison> comms;  ///< by kind
  MemoryCurves memory;
  Utilisation busy;
  bool on_device = false;  ///< recorded times are of the device
  bool timed = false;      ///< there are recorded times

  /// The part of all operators, inner ones too, that would have to be others for both to have run
  /// the same ones: half the sum of differences of shares by name. Empty: nothing ran.
  [[nodiscard]] std::optional<double> mix_distance() const;
  /// The same of time by kind. Empty without recorded times.
  [[nodiscard]] std::optional<double> time_distance() const;
  [[nodiscard]] std::uint64_t recorded_operators() const;
  [[nodiscard]] std::uint64_t replayed_operators() const;
};

/// `plan` is one of `profile`, `outcome` one of `plan` that `threads` played. O(events log events).
[[nodiscard]] Similarity similarity_of(const profile::Profile& profile, const ReplayPlan& plan,
                                       const ReplayOutcome& outcome, std::int32_t threads);

}  // namespace orrery::bench
