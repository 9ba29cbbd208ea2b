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

/// PCIe switches, host bridges and CPUs so that the way between any two devices is of the class
/// that the matrix states; where it says NV#, PCIe is taken as far as other pairs and the affinity
/// tell. NVLinks are direct, but where all of three or more GPUs have equally many to each other,
/// more than fit into a GPU: then they lead to an NVSwitch. Nothing states bandwidths or latencies.
[[nodiscard]] Result<Topology> read_nvidia_smi(std::string_view text, const std::string& where,
                                               Findings& findings);

}  // namespace orrery::platform
