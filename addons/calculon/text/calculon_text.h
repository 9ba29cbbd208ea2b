// SPDX-License-Identifier: Apache-2.0
//
// Steps and searches by Calculon's rules, as people and programs read them.
#pragma once

#include <string>

#include "addons/calculon/calculon_search.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// What was asked, and the step that answers it.
struct CalculonStep {
  estimate::calculon::Model model;
  estimate::calculon::Machine machine;
  estimate::calculon::Plan plan;
  estimate::calculon::StepEstimate step;
};
[[nodiscard]] std::string calculon_step_text(const CalculonStep& predicted, report::Style style);
/// With Calculon's 96 statistics.
[[nodiscard]] std::string calculon_step_json(const CalculonStep& predicted);

[[nodiscard]] std::string calculon_search_text(const estimate::calculon::Search& search,
                                               report::Style style);
[[nodiscard]] std::string calculon_search_json(const estimate::calculon::Search& search);

}  // namespace orrery::present
