// SPDX-License-Identifier: Apache-2.0
//
// `nvidia-smi topo -m` as a fabric: one machine.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Creates PCIe switches, host bridges and CPUs such that the route between any two devices has the
/// class in the matrix; for pairs with NV#, other pairs and the affinity determine the PCIe route.
/// NVLinks are direct, unless three or more GPUs have equally many to each other, more than a GPU
/// has in total: then they lead to an NVSwitch. Bandwidths and latencies are unknown.
[[nodiscard]] Result<Topology> read_nvidia_smi(std::string_view text, const std::string& where,
                                               Findings& findings);

}  // namespace orrery::platform
