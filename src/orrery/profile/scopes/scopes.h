// SPDX-License-Identifier: Apache-2.0
//
// Where in a step of training recorded events stand, by what profilers, frameworks and users wrote
// around them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/step_scope.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Whether somebody may have written that around others: annotations; where a recording does not
/// tell these from operators, operators of no library.
[[nodiscard]] bool is_range_name(Kind kind, std::string_view name);

/// What a range says of the phase of all in it, by its name alone: autograd's nodes are backward,
/// "Optimizer." is the optimizer; of users' ranges, those with just one of the words "forward",
/// "backward" and "optimizer". Modules of PyTorch ("nn.Module: …") are forward.
[[nodiscard]] StepPhase phase_named(Kind kind, std::string_view name);

/// By event, steps by the N of ProfilerStep#N; `profile` is attached. What stands on a device goes
/// by the call that launched it. Steps of other threads than the one that says them go by time.
/// What is launched in a step beside autograd and optimizer, where there are such, is forward, or,
/// between the last gradients and the optimizer, of the latter; what runs forward again under
/// autograd (recomputation) is backward. Layers are modules, or users' ranges named "layer" or
/// "block" and a number, that stand one after another in the same one range, have as many operators
/// (but for one at each end) and hold half of its and more; where several kinds do, the outermost.
/// A backward operator is of the layer of its forward operator (by sequence). O(events log events).
[[nodiscard]] std::vector<StepScope> find_scopes(const Profile& profile);

}  // namespace orrery::profile
