// SPDX-License-Identifier: Apache-2.0
//
// Finds step, phase and layer of recorded events from the ranges that profilers, frameworks and
// users put around them.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/core/step_scope.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// True if `name` can be a range around other events: an annotation; or, if the recording does not
/// distinguish annotations from operators, an operator without a library prefix ("::").
[[nodiscard]] bool is_range_name(Kind kind, std::string_view name);

/// The phase of all events in a range, from its name alone. Autograd's nodes are backward;
/// "Optimizer." is the optimizer; PyTorch modules ("nn.Module: …") are forward. A user's range has
/// the phase that its name contains: just one of the words "forward", "backward" and "optimizer".
[[nodiscard]] StepPhase phase_of_range(Kind kind, std::string_view name);

/// Scopes by event; `profile` is attached.
/// - Steps: the N of ProfilerStep#N. Threads without these annotations get steps by time.
/// - Device work has the scope of the call that launched it.
/// - Phases: in a recording with backward or optimizer work, other launches in steps are forward,
///   or optimizer if they lie between the last gradients and the optimizer. Forward work under
///   autograd (recomputation) is backward.
/// - Layers: modules, or user ranges named "layer" or "block" and a number. They follow each other
///   in the same range, have equally many operators (except the first and the last), and contain at
///   least half of that range's operators. If several kinds of ranges qualify, the outermost are
///   the layers. A backward operator belongs to the layer of its forward operator (by sequence
///   number).
///
/// O(events log events).
[[nodiscard]] std::vector<StepScope> find_scopes(const Profile& profile);

}  // namespace orrery::profile
