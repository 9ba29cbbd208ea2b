// SPDX-License-Identifier: Apache-2.0
//
// The answers of `orrery study reproduce`.
#pragma once

#include "addons/case_study/text/reproduce_tables.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

void state_reproduction(report::Answer& answer, const Reproduction& reproduction);
/// The built-in case studies.
void state_case_studies(report::Answer& answer);

}  // namespace orrery::present
