// SPDX-License-Identifier: Apache-2.0
//
// What the two sets of rules decide differently, decision by decision.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// The parts of the engine ask this, never which rules there are. The defaults are Orrery's; see
/// docs/astra-sim.md for what ASTRA-sim does instead, and why.
struct Policy {
  /// What comes first in a tick goes first. Otherwise it is decided when the tick is over, so that
  /// the order of events in it cannot be seen.
  bool first_come = false;
  /// Messages of phases match by sender and size alone; otherwise by phase and step.
  bool match_by_size = false;
  /// Who issues a chunk first chooses queues and dimensions for all.
  bool ranks_agree = true;
  /// Ends of phases may be worked out. Not where the order of messages in a tick can be seen.
  bool closed_forms = true;
  /// Themis' loads are set back by whatever rank 0 issues; otherwise by whoever does.
  bool rank_0_leads = false;
  /// Themis orders chunks of groups, too, each group's by loads of its own, and weighs a dimension
  /// by what phases take there; otherwise only those of all ranks, by bandwidths of links.
  bool themis_knows_groups = true;
  /// All-reduces go down the dimensions and up again in Themis' order, also without awareness of
  /// bandwidths.
  bool two_phases_always = true;
  /// A group named "0" is all ranks.
  bool group_0_is_all = false;
  /// Groups smaller than the system run as one ring, whatever dimensions they span.
  bool groups_are_rings = false;
  /// One of all collectives, sends and memory accesses at a time, one host node at a time, and
  /// nothing but compute on the host; otherwise one per group and per receiver.
  bool one_lane_for_communication = false;
  /// What a recording says counts: streams, how long nodes wait after others; and where a rank has
  /// a device, what its host does is no compute.
  bool knows_recordings = true;
  /// Kernels are there, and hosts that launch them.
  bool knows_kernels = true;
  /// Collectives without an algorithm of their own take the nearest form; those that say too little
  /// take their recorded time.
  bool nearest_form = true;
  /// A remote memory serves one access after another; otherwise they share it.
  bool memory_in_turn = false;
  /// Memory nodes use local memory where there is no remote one.
  bool local_memory_serves = true;
  /// Compute nodes that touch no bytes take no time, not even a tick.
  bool empty_work_is_skipped = false;
  /// Held memory is followed without being asked.
  bool follows_memory = true;
  /// Exposed communication is what the finish leaves beside the sum of GPU compute.
  bool exposed_is_the_rest = false;
  /// A message across several dimensions is charged for the first one only.
  bool first_dimension_counts = false;
  /// Dimensions of a collective that does not say.
  std::uint32_t dims_unsaid = ~0u;
  /// Tags are taken modulo this; 0: as they are.
  std::uint32_t tags = 0;
  /// A node without a duration, and the unit of the shared bus.
  Time shortest{};
  std::int64_t bus_unit = 1;

  [[nodiscard]] static Policy of(platform::Rules rules);

  /// Whether a collective that names this group is among all ranks.
  [[nodiscard]] bool means_all(std::string_view name) const {
    return name.empty() || (group_0_is_all && name == "0");
  }
};

}  // namespace orrery::sim
