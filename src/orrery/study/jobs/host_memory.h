// SPDX-License-Identifier: Apache-2.0
//
// The memory of hosts, for jobs that offload and clusters that do not describe a remote memory.
#pragma once

#include <memory>

#include "orrery/core/findings.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::study {

/// The cluster with host memory behind the link of its device (DeviceEntry::host_link), if its
/// job offloads and the cluster has no remote memory. Each device has its own link, at its data
/// sheet's rate in each direction; the memory itself does not limit it. Counts chosen_by_default.
/// Unchanged otherwise.
[[nodiscard]] std::shared_ptr<const Cluster> with_host_memory(
    const Load& load, std::shared_ptr<const Cluster> cluster, Findings& findings);

}  // namespace orrery::study
