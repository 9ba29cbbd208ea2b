// SPDX-License-Identifier: Apache-2.0
//
// Ranks as options name them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::app {

/// "0,3-5" as ranges, both ends included. Errc: usage, of --ranks.
[[nodiscard]] Result<std::vector<std::pair<std::uint32_t, std::uint32_t>>> parse_ranks(
    std::string_view text);

/// The same, each rank, in that order. Errc: usage; also of one that no job can have.
[[nodiscard]] Result<std::vector<std::uint32_t>> listed_ranks(std::string_view text);

}  // namespace orrery::app
