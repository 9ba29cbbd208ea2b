// SPDX-License-Identifier: Apache-2.0
//
// What ranks' work is made of, as a tree.
#pragma once

#include <string>

#include "orrery/graph/workload.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// Ranks of one graph once.
[[nodiscard]] std::string structure_text(const std::string& name, const graph::Workload& workload,
                                         report::Style style);
[[nodiscard]] std::string structure_json(const std::string& name, const graph::Workload& workload);

}  // namespace orrery::present
