// SPDX-License-Identifier: Apache-2.0
//
// Several jobs on one machine, for people and programs.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/together.h"

namespace orrery::present {

/// `links`: with those that jobs meet on (study::TogetherQuestion::links).
[[nodiscard]] std::string together_text(const study::TogetherAnswer& answer, bool links,
                                        report::Style style);
[[nodiscard]] std::string together_json(const study::TogetherAnswer& answer, bool links);

}  // namespace orrery::present
