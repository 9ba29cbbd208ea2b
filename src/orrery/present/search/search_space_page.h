// SPDX-License-Identifier: Apache-2.0
//
// Web page of a searched space: its allowed points in columns, the effects of axes, and the command
// to run each point.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/explore/explore.h"
#include "orrery/report/html/space_page.h"

namespace orrery::present {

/// `threads` build the commands (0: all cores). Errc: those of explore::each_configuration.
[[nodiscard]] Result<report::PageSpace> search_space_page(
    const explore::SearchSpace& space, const explore::ExplorationResult& explored,
    std::uint32_t threads);

}  // namespace orrery::present
