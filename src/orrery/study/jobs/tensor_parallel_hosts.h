// SPDX-License-Identifier: Apache-2.0
//
// Placement of a job's tensor-parallel groups on hosts.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// Counts tp_crosses_hosts once for each tensor-parallel group that crosses hosts. Only workloads
/// whose groups lie along axes are checked, as generated ones. See platform::HostCrossings.
void check_tensor_groups(const graph::Workload& workload, const platform::Platform& platform,
                         Findings& findings);

}  // namespace orrery::study
