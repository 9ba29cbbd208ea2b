// SPDX-License-Identifier: Apache-2.0
//
// Several jobs on one machine, for people and programs.
#pragma once

#include <string>

#include "orrery/report/text.h"
#include "orrery/study/together.h"

namespace orrery::present {

[[nodiscard]] std::string together_text(const study::TogetherAnswer& answer, report::Style style);
[[nodiscard]] std::string together_json(const study::TogetherAnswer& answer);

}  // namespace orrery::present
