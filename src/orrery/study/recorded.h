// SPDX-License-Identifier: Apache-2.0
//
// Recorded traces as the workload of a question.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/intake/job/job.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// True when the first file that one of `paths` names is, or holds, a recorded trace, by content.
/// Paths that name no file are none.
[[nodiscard]] bool are_recorded(const std::vector<std::string>& paths);

/// Errc::usage for numbers that cannot be.
[[nodiscard]] Result<intake::JobOptions> job_options(const RecordedTraces& recorded);

}  // namespace orrery::study
