// SPDX-License-Identifier: Apache-2.0
//
// What is known of a space before it is searched, as people and programs read it.
#pragma once

#include <string>

#include "orrery/explore/space/constraint_check.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// In one line: "432 combinations, of which constraints over axes leave 412".
[[nodiscard]] std::string allowed_combinations_text(const explore::SpaceCheck& space_check);

[[nodiscard]] std::string search_check_text(const explore::SearchSpace& space,
                                            const explore::SpaceCheck& space_check,
                                            report::Style style);
[[nodiscard]] std::string search_check_json(const explore::SpaceCheck& space_check);
/// The object of it.
void write_search_check(report::JsonWriter& json, const explore::SpaceCheck& space_check);

}  // namespace orrery::present
