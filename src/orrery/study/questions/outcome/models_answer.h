// SPDX-License-Identifier: Apache-2.0
//
// The models, the cluster and the workload of a run.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

/// For programs; text has the models in the digest.
void state_models(report::Answer& answer, const Outcome& outcome);

}  // namespace orrery::study
