// SPDX-License-Identifier: Apache-2.0
//
// Views of recordings, as text and JSON.
#pragma once

#include <vector>

#include "orrery/core/findings.h"
#include "orrery/intake/job/job.h"
#include "orrery/report/answer/answer.h"
#include "orrery/study/recordings/views/view.h"

namespace orrery::present {

/// States views: an object per view in JSON, with its figures and tables.
void state_views(report::Answer& answer, const std::vector<study::View>& views,
                 const intake::Job& job, const Findings& findings);

}  // namespace orrery::present
