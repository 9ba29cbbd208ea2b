// SPDX-License-Identifier: Apache-2.0
//
// Which microbatch an operator belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

inline constexpr std::uint32_t kNoMicrobatch = ~std::uint32_t{0};

struct Microbatches {
  std::uint32_t count = 0;        ///< passes forward that a pass backward follows
  std::vector<std::uint32_t> of;  ///< by operator; kNoMicrobatch: an optimizer's, and what is last
};

/// Each begins where the forward pass does again after a backward one. Errc: input_missing_attr
/// where ranks send each other messages: passes of a pipeline's stages overlap. O(operators ×
/// depth).
[[nodiscard]] Result<Microbatches> microbatches_of(const profile::Profile& profile,
                                                   const std::vector<profile::EventId>& operators);

}  // namespace orrery::bench
