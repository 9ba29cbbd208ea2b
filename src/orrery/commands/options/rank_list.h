// SPDX-License-Identifier: Apache-2.0
//
// Lists of ranks in options.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::commands {

/// "0,3-5" as inclusive ranges. Errc: usage, of --ranks.
[[nodiscard]] Result<std::vector<std::pair<std::uint32_t, std::uint32_t>>> parse_ranks(
    std::string_view text);

/// The same as single ranks, in that order. Errc: usage, also for a rank above limits::kRanks.
[[nodiscard]] Result<std::vector<std::uint32_t>> listed_ranks(std::string_view text);

}  // namespace orrery::commands
