// SPDX-License-Identifier: Apache-2.0
//
// Which pass of a step an operator is of.
#pragma once

#include <cstdint>

#include "orrery/profile/profile.h"

namespace orrery::bench {

enum class TrainingPass : std::uint8_t { forward, backward, optimizer };

/// By what an operator stands under. O(depth).
[[nodiscard]] TrainingPass pass_of(const profile::Profile& profile, profile::EventId event);

}  // namespace orrery::bench
