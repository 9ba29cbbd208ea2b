// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery infer`.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/serving/infer.h"

namespace orrery::present {

/// The members of an object: mean_s, p50_s, p90_s, p99_s, longest_s.
void write_latency(report::JsonWriter& json, const serving::Latency& latency);

void state_inference(report::Answer& answer, const study::Inference& inference);

}  // namespace orrery::present
