// SPDX-License-Identifier: Apache-2.0
//
// Who is who to a timeline that several ranks share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::result {

/// The ranks of each timeline, ascending.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> ranks_by_timeline(const Run& run);

/// The timelines of those at `distance` from `ranks`: ascending, each once.
[[nodiscard]] std::vector<std::uint32_t> peer_timelines(const Run& run,
                                                        std::span<const std::uint32_t> ranks,
                                                        std::uint32_t distance);

}  // namespace orrery::result
