// SPDX-License-Identifier: Apache-2.0
//
// The decisions in which Orrery rules and ASTRA rules differ.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// The components of the engine check these flags, never the rules themselves. The defaults are
/// Orrery's; docs/astra-sim.md explains what ASTRA-sim does instead, and why.
struct Policy {
  /// Events within a tick are served in order of arrival. Otherwise the engine decides at the end
  /// of the tick, so that the order of events in it does not affect the result.
  bool first_come = false;
  /// Messages of phases match by sender and size alone; otherwise by phase and step.
  bool match_by_size = false;
  /// The first rank that issues a chunk chooses queues and dimensions for all ranks.
  bool ranks_agree = true;
  /// Closed forms may compute the ends of phases: requires that the order of messages in a tick
  /// does not affect the result.
  bool closed_forms = true;
  /// Themis' loads are reset by each collective of rank 0; otherwise by each collective of any
  /// rank.
  bool rank_0_leads = false;
  /// Themis also orders the chunks of groups, with separate loads for each group, and weighs a
  /// dimension by the time of phases there; otherwise it orders only the chunks of all ranks, by
  /// bandwidths of links.
  bool themis_knows_groups = true;
  /// All-reduces go down the dimensions and up again in Themis' order, also without awareness of
  /// bandwidths.
  bool always_two_phases = true;
  /// A group named "0" is all ranks.
  bool group_0_is_all = false;
  /// Groups smaller than the system run as one ring, whatever dimensions they span.
  bool groups_are_rings = false;
  /// Only one collective, send or memory access at a time, one host node at a time, and only
  /// computation on the host. Otherwise one at a time per group and per receiver.
  bool one_lane_for_communication = false;
  /// The engine uses recorded streams and lags. On ranks with a device, host work does not count as
  /// computation.
  bool knows_recordings = true;
  /// The engine uses kernels, and hosts that launch them.
  bool knows_kernels = true;
  /// Collectives without an algorithm run as the nearest form. Collectives with missing attributes
  /// last their recorded duration.
  bool nearest_form = true;
  /// A remote memory serves one access after another; otherwise they share it.
  bool memory_in_turn = false;
  /// Memory nodes use local memory if there is no remote memory.
  bool local_memory_serves = true;
  /// Compute nodes without bytes take no time, not even a tick.
  bool empty_work_is_skipped = false;
  /// The engine always computes the memory of tensors, not only on request.
  bool follows_memory = true;
  /// Exposed communication is the finish time minus the sum of GPU compute.
  bool exposed_is_the_rest = false;
  /// A message across several dimensions counts as traffic of the first one only.
  bool first_dimension_counts = false;
  /// Dimensions (a bit mask) of a collective that states none.
  std::uint32_t default_dims = ~0u;
  /// Tags are taken modulo this; 0: unchanged.
  std::uint32_t tags = 0;
  /// Duration of a node that has none, and the unit of the shared bus.
  Time shortest{};
  std::int64_t bus_unit = 1;
  /// The shared bus stores its time per byte in single precision.
  bool single_precision_bus = false;

  [[nodiscard]] static Policy of(platform::Rules rules);

  /// Whether a group of this name is all ranks.
  [[nodiscard]] bool means_all(std::string_view name) const {
    return name.empty() || (group_0_is_all && name == "0");
  }
};

}  // namespace orrery::sim
