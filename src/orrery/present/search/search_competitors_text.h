// SPDX-License-Identifier: Apache-2.0
//
// What would have to be true for another point of a space to be as good as the best.
#pragma once

#include <string>

#include "orrery/explore/explore.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// "exposed -60.2 %", "a device hour at 1.7, not 2.5", "both with nic 400"
[[nodiscard]] std::string need_text(const explore::BreakEven& one);

/// A heading and a table; empty where there are no rivals.
[[nodiscard]] std::string competitors_table(const explore::SearchSpace& space,
                                            const explore::ExplorationResult& explored,
                                            report::Style style);

/// As `rivals`, an array.
void write_competitors(report::JsonWriter& json, const explore::SearchSpace& space,
                       const explore::ExplorationResult& explored);

}  // namespace orrery::present
