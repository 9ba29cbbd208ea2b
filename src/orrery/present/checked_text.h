// SPDX-License-Identifier: Apache-2.0
//
// What is known of a space before it is searched, as people and programs read it.
#pragma once

#include <string>

#include "orrery/explore/checked.h"
#include "orrery/report/json.h"
#include "orrery/report/text.h"

namespace orrery::present {

/// In one line: "432 combinations, of which constraints over axes leave 412".
[[nodiscard]] std::string checked_words(const explore::CheckedSpace& checked);

[[nodiscard]] std::string checked_text(const explore::SearchSpace& space,
                                       const explore::CheckedSpace& checked, report::Style style);
[[nodiscard]] std::string checked_json(const explore::CheckedSpace& checked);
/// The object of it.
void write_checked(report::JsonWriter& json, const explore::CheckedSpace& checked);

}  // namespace orrery::present
