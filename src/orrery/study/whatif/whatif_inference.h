// SPDX-License-Identifier: Apache-2.0
//
// What-ifs that change the plan of traces, for which the simulator infers the job.
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

/// Whether a change needs the inferred job: it changes the model or the plan, except the numbers of
/// layers and microbatches. `replicas`: also except dp, the number of ranks for which one trace
/// stands.
[[nodiscard]] bool needs_job(std::span<const Change> changes, bool replicas);

struct InferredCase {
  InferredJob job;
  /// Step time of the traces on the cluster; empty: traces of some ranks or kernel times are
  /// missing.
  std::optional<Time> recorded;
  std::vector<OperationTime> operations;  ///< if kernel times are recorded
};

/// Replaces `read`, traces on a cluster, with the inferred job. The caller scales kernels by
/// `operations`. Errc: as infer_job and WhatIfCase::read.
[[nodiscard]] Result<InferredCase> become_inferred_job(WhatIfCase& read, Watch& watch,
                                                       Findings& findings);

}  // namespace orrery::study
