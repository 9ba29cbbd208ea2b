// SPDX-License-Identifier: Apache-2.0
//
// What would have to be true for another point of a space to be as good as the best.
#pragma once

#include <string>

#include "orrery/explore/explore.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"

namespace orrery::present {

/// "exposed -60.2 %", "a device hour at 1.7, not 2.5", "both with nic 400"
[[nodiscard]] std::string need_words(const explore::Needed& one);

/// A heading and a table; empty where there are no rivals.
[[nodiscard]] std::string rivals_table(const explore::SearchSpace& space,
                                       const explore::Explored& explored, report::Style style);

/// As `rivals`, an array.
void write_rivals(report::JsonWriter& json, const explore::SearchSpace& space,
                  const explore::Explored& explored);

}  // namespace orrery::present
