// SPDX-License-Identifier: Apache-2.0
//
// What was learned of one iteration, tried on the next.
#pragma once

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Lets each work and each step of a thread take what it took in the iteration before, and each
/// dependency the lag it had there; what waits for what stays. The sequence of each thread and
/// stream is aligned with that of the iteration before, by names, shapes and what is around; the
/// device's work belongs to the iteration in which it was launched. What has no counterpart, and
/// what comes before the second iteration, keeps its own times; a wait that nothing explains and
/// that was not there before is none. Fills Dependencies::learned, ::to_learn and ::lasted. O(nodes
/// log nodes).
void predict_from_previous_iteration(const Profile& profile, Dependencies& dependencies);

}  // namespace orrery::profile
