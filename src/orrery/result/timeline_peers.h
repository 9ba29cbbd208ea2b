// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a shared timeline, and their peers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::result {

/// The ranks of each timeline, ascending.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> ranks_by_timeline(const Run& run);

/// The distinct timelines of the ranks at `distance` from `ranks`, ascending.
[[nodiscard]] std::vector<std::uint32_t> peer_timelines(const Run& run,
                                                        std::span<const std::uint32_t> ranks,
                                                        std::uint32_t distance);

}  // namespace orrery::result
