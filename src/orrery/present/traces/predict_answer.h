// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace predict`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/recordings/step_prediction.h"

namespace orrery::present {

/// Recorded and predicted step by rank, and the effect of each predicted part alone.
void state_prediction(report::Answer& answer, const study::StepPrediction& prediction);

}  // namespace orrery::present
