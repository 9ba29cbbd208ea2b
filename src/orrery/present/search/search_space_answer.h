// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery search SPACE`: a searched space.
#pragma once

#include <cstddef>

#include "orrery/explore/explore.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// `rows`: how many points to show. Programs also get the cluster and the job of each.
void state_search_space(report::Answer& answer, const explore::SearchSpace& space,
                        const explore::ExplorationResult& explored, std::size_t rows);

}  // namespace orrery::present
