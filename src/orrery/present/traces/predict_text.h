// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/recordings/step_prediction.h"

namespace orrery::present {

/// A recorded step beside how it is told, rank by rank, and what each part of that does alone.
[[nodiscard]] std::string predict_text(const study::StepPrediction& prediction,
                                       report::Style style);
[[nodiscard]] std::string predict_json(const study::StepPrediction& prediction);

}  // namespace orrery::present
