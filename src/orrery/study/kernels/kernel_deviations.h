// SPDX-License-Identifier: Apache-2.0
//
// Scales recorded kernel times by name.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// Applies the kernel deviations of the platform (platform::Deviation::kernels): on their ranks,
/// multiplies the recorded durations of nodes whose names contain the given text, rounded up to the
/// clock of the rules. Only nodes on a device are scaled, or all nodes if a trace has none on a
/// device. Unchanged graphs remain shared. A text that matches no node is counted
/// (key_without_effect). O(nodes) for each graph and deviation.
[[nodiscard]] graph::Workload with_kernel_deviations(const graph::Workload& workload,
                                                     const platform::Platform& platform,
                                                     Findings& findings);

/// Whether a deviation scales kernels.
[[nodiscard]] bool has_kernel_deviations(const platform::Platform& platform);

}  // namespace orrery::study
