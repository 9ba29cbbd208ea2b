// SPDX-License-Identifier: Apache-2.0
//
// Predicts each iteration from the previous one.
#pragma once

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Sets the cost of each work and each thread step to its cost in the previous iteration, and the
/// lag of each dependency likewise. The edges stay. Each thread and stream is aligned with its
/// previous iteration by names, shapes and parents. Device work belongs to the iteration that
/// launched it. A node keeps its own times if it has no counterpart or lies before the second
/// iteration. A recorded wait becomes zero if the previous iteration has none. Fills
/// Dependencies::predicted, ::predictable and ::previous_duration. O(nodes log nodes).
void predict_from_previous_iteration(const Profile& profile, Dependencies& dependencies);

}  // namespace orrery::profile
