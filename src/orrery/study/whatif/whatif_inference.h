// SPDX-License-Identifier: Apache-2.0
//
// What-ifs of a plan, of traces whose job is told from them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/kernels/steps/operation_times.h"
#include "orrery/study/recordings/job_inference.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {

/// Whether one of them is of a model or a plan, and more than what traces repeat; `replicas`: or
/// than how many ranks one trace stands for.
[[nodiscard]] bool needs_job(std::span<const Change> changes, bool replicas);

struct InferredCase {
  InferredJob job;
  std::optional<Time>
      recorded;  ///< traces' step on the cluster, if all are there and kernels have times
  std::vector<OperationTime> operations;  ///< … and how those are beside the models'
};

/// `read`, traces on a cluster, becomes the job that they are of; kernels whose times traces have
/// take as much longer than models say as those of their operation. Errc: as traced_job and
/// WhatIfCase::read.
[[nodiscard]] Result<InferredCase> become_inferred_job(WhatIfCase& read, Watch& watch,
                                                       Findings& findings);

}  // namespace orrery::study
