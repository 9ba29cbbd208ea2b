// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery job together`: concurrent jobs on one machine.
#pragma once

#include "orrery/report/answer/answer.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs.h"

namespace orrery::present {

/// `links`: also list links shared by jobs (study::ConcurrentJobsQuestion::links).
void state_together(report::Answer& answer, const study::ConcurrentJobsResult& result, bool links);

}  // namespace orrery::present
