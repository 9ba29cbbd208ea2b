// SPDX-License-Identifier: Apache-2.0
//
// A space that was searched as a web page: its allowed points in columns, what axes do, and what
// to paste to run each.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/explore/explore.h"
#include "orrery/report/html/space_page.h"

namespace orrery::present {

/// `threads` work out what to paste (0: all cores). Errc: those of explore::each_configuration.
[[nodiscard]] Result<report::PageSpace> search_space_page(
    const explore::SearchSpace& space, const explore::ExplorationResult& explored,
    std::uint32_t threads);

}  // namespace orrery::present
