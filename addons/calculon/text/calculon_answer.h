// SPDX-License-Identifier: Apache-2.0
//
// The answers of `orrery study calculon`.
#pragma once

#include "addons/calculon/calculon_search.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// The inputs, and the step that Calculon's rules predict for them.
struct CalculonStep {
  estimate::calculon::Model model;
  estimate::calculon::Machine machine;
  estimate::calculon::Plan plan;
  estimate::calculon::StepEstimate step;
};
/// Programs get Calculon's 96 statistics.
void state_calculon_step(report::Answer& answer, const CalculonStep& question);

void state_calculon_search(report::Answer& answer, const estimate::calculon::Search& search);

}  // namespace orrery::present
