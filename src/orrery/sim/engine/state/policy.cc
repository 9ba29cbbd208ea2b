// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/policy.h"

#include "orrery/sim/recording.h"

namespace orrery::sim {

Policy Policy::of(platform::Rules rules) {
  Policy policy;
  switch (rules) {
    case platform::Rules::orrery:
      break;
    case platform::Rules::astra:
      policy.first_come = policy.match_by_size = policy.rank_0_leads = true;
      policy.ranks_agree = policy.closed_forms = policy.always_two_phases = false;
      policy.themis_knows_groups = false;
      policy.knows_recordings = policy.knows_kernels = false;
      policy.group_0_is_all = policy.groups_are_rings = policy.one_lane_for_communication = true;
      policy.nearest_form = policy.local_memory_serves = policy.follows_memory = false;
      policy.empty_work_is_skipped = policy.memory_in_turn = true;
      policy.exposed_is_the_rest = policy.first_dimension_counts = true;
      policy.default_dims = 0xf;  // four dimensions are assumed
      policy.tags = kAstraTags;
      policy.shortest = ns(1);
      policy.bus_unit = kPsPerNs;
      policy.single_precision_bus = true;
      break;
  }
  return policy;
}

}  // namespace orrery::sim
