// SPDX-License-Identifier: Apache-2.0
//
// A space that was searched, as people and programs read it.
#pragma once

#include <string>

#include "orrery/explore/explore.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// `rows`: how many points to show.
[[nodiscard]] std::string search_space_text(const explore::SearchSpace& space,
                                            const explore::ExplorationResult& explored,
                                            std::size_t rows, report::Style style);
/// With the cluster and the job of each point that is shown, and figures of all.
[[nodiscard]] std::string search_space_json(const explore::SearchSpace& space,
                                            const explore::ExplorationResult& explored,
                                            std::size_t rows);

}  // namespace orrery::present
