// SPDX-License-Identifier: Apache-2.0
//
// Finds the microbatch of each operator.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

inline constexpr std::uint32_t kNoMicrobatch = ~std::uint32_t{0};

struct Microbatches {
  std::uint32_t count = 0;  ///< number of forward passes that are followed by a backward pass
  /// By operator; kNoMicrobatch: optimizer and operators after the last microbatch.
  std::vector<std::uint32_t> of;
};

/// A microbatch begins where the forward pass begins again after a backward pass. Errc:
/// input_missing_attr if ranks send messages, because passes of pipeline stages overlap.
/// O(operators × depth).
[[nodiscard]] Result<Microbatches> microbatches_of(const profile::Profile& profile,
                                                   const std::vector<profile::EventId>& operators);

}  // namespace orrery::bench
