// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace info --structure`: the structure of ranks as a tree.
#pragma once

#include <string>

#include "orrery/graph/workload.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// People read ranks of identical structure once, programs each distinct graph.
void state_structure(report::Answer& answer, const std::string& name,
                     const graph::Workload& workload);

}  // namespace orrery::present
