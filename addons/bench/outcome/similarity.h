// SPDX-License-Identifier: Apache-2.0
//
// Compares the work of a recording with that of its replay.
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

/// The time of operators, and their flops and bytes as far as they are known.
struct ResourceUse {
  std::uint64_t count = 0;
  std::int64_t ns = 0;
  std::int64_t known_ns = 0;  ///< time of operators with known flops and bytes
  double flops = 0, bytes = 0;

  /// Per second; 0 if unknown.
  [[nodiscard]] double flops_rate() const { return known_ns > 0 ? flops / known_ns * 1e9 : 0; }
  [[nodiscard]] double bytes_rate() const { return known_ns > 0 ? bytes / known_ns * 1e9 : 0; }
};

/// Operators with one class of work, or one name. `recorded` uses device times if the recording has
/// a device, else host times.
struct OperatorComparison {
  std::string name;  ///< of one name: including its overload
  WorkClass kind = WorkClass::other;
  ResourceUse recorded;
  ResourceUse replayed;  ///< sum over operators of the median over iterations; without operators
                         ///< that failed, are absent or are skipped
  std::int64_t host_ns = 0;   ///< recorded, including inner operators
  std::uint64_t kernels = 0;  ///< recorded on the device
  std::string rule;           ///< substitution rule of the first one; empty: none
};

/// The number of operators with one name that ran, including inner ones.
struct OperatorCount {
  std::string name;  ///< without overload
  std::uint64_t recorded = 0, replayed = 0;
};

/// The communications of one kind.
struct CommunicationComparison {
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint64_t recorded = 0, replayed = 0;
  std::int64_t bytes = 0;                         ///< recorded; unknown sizes count as 0
  std::int64_t recorded_ns = 0, replayed_ns = 0;  ///< replayed: median over iterations
};

/// Utilization of the available resources. Empty: unknown.
struct Utilization {
  std::optional<double> device;  ///< recorded: share of the time in which the device is busy
  /// Recorded: achieved occupancy as estimated by the profiler, weighted by time.
  std::optional<double> occupancy;
  std::optional<double> processor;  ///< replayed: CPU time per time and thread
  std::optional<double> watts;      ///< replayed: power of the processors
};

struct Similarity {
  std::array<OperatorComparison, kWorkClasses> classes{};  ///< by kind
  std::vector<OperatorComparison> names;       ///< of replayed operators; longest replay first
  std::vector<OperatorCount> operator_counts;  ///< by name
  std::vector<CommunicationComparison> communications;  ///< by kind
  MemoryCurves memory;
  Utilization utilization;
  bool on_device = false;  ///< recorded times are those of the device
  bool timed = false;      ///< recorded times exist

  /// The share of operators, including inner ones, that differ between recording and replay: half
  /// the sum of absolute differences of the shares by name. Empty if nothing ran.
  [[nodiscard]] std::optional<double> mix_distance() const;
  /// The same for time by class of work. Empty without recorded times.
  [[nodiscard]] std::optional<double> time_distance() const;
  [[nodiscard]] std::uint64_t recorded_operators() const;
  [[nodiscard]] std::uint64_t replayed_operators() const;
};

/// `plan` must be a plan of `profile`, and `outcome` a replay of `plan` with `threads` threads.
/// O(events log events).
[[nodiscard]] Similarity similarity_of(const profile::Profile& profile, const ReplayPlan& plan,
                                       const ReplayOutcome& outcome, std::int32_t threads);

}  // namespace orrery::bench
