// SPDX-License-Identifier: Apache-2.0
//
// Finds the training pass of an operator.
#pragma once

#include <cstdint>

#include "orrery/profile/profile.h"

namespace orrery::bench {

enum class TrainingPass : std::uint8_t { forward, backward, optimizer };

/// Determined by the ranges around the operator. O(depth).
[[nodiscard]] TrainingPass pass_of(const profile::Profile& profile, profile::EventId event);

}  // namespace orrery::bench
