// SPDX-License-Identifier: Apache-2.0
//
// A recording with fewer of its layers.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// By operator: it stays where so many layers do, the first and the last ones, forward and
/// backward. What is done behind all layers, or in place before them, stays unless the first of its
/// tensors that tells is of layers that go alone: what an optimizer does for one parameter after
/// another goes with its layer, what it does for all at once stays whole. Errc: usage where there
/// are not more layers than that; input_missing_attr where nothing repeats as layers do. As
/// layers_of. O(operators × depth of what hands tensors on).
[[nodiscard]] Result<std::vector<bool>> with_fewer_layers(
    const profile::Profile& profile, const std::vector<profile::EventId>& operators,
    std::uint32_t layers);

}  // namespace orrery::bench
