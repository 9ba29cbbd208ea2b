// SPDX-License-Identifier: Apache-2.0
//
// Several jobs on one machine, for people and programs.
#pragma once

#include <string>

#include "orrery/report/terminal_text.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs.h"

namespace orrery::present {

/// `links`: with those that jobs meet on (study::TogetherQuestion::links).
[[nodiscard]] std::string together_text(const study::ConcurrentJobsResult& answer, bool links,
                                        report::Style style);
[[nodiscard]] std::string together_json(const study::ConcurrentJobsResult& answer, bool links);

}  // namespace orrery::present
