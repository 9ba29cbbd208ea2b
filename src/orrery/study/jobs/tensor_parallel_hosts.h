// SPDX-License-Identifier: Apache-2.0
//
// Where a job's tensor-parallel groups sit.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// Counts tp_crosses_hosts once for each tensor-parallel group that crosses hosts, where the
/// workload has such by axis, as generated ones do. See platform::HostCrossings.
void check_tensor_groups(const graph::Workload& workload, const platform::Platform& platform,
                         Findings& findings);

}  // namespace orrery::study
