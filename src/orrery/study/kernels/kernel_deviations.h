// SPDX-License-Identifier: Apache-2.0
//
// Kernels that take other times than they were recorded to, by name.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// The workload as the platform's deviations have it (platform::Deviation::kernels): on their ranks
/// the recorded durations of nodes of those names are multiplied, rounded up to the rules' clock.
/// Only what runs on a device counts, or everything where a trace has none. Graphs that nothing
/// changes in stay shared. A name without a node is counted (key_without_effect). O(nodes) of each
/// graph and deviation.
[[nodiscard]] graph::Workload with_kernel_deviations(const graph::Workload& workload,
                                                     const platform::Platform& platform,
                                                     Findings& findings);

/// Some deviation has kernels.
[[nodiscard]] bool has_kernel_deviations(const platform::Platform& platform);

}  // namespace orrery::study
