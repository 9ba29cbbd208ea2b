// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery infer`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/serving/infer.h"

namespace orrery::present {

void state_inference(report::Answer& answer, const study::Inference& inference);

}  // namespace orrery::present
