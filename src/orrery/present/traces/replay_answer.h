// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery trace replay`: a replayed recording compared with the recorded times.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/recordings/replay.h"

namespace orrery::present {

void state_replay(report::Answer& answer, const study::Replay& replay);

}  // namespace orrery::present
