// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA Air's topologies (JSON): virtual machines and the cables between their interfaces.
#pragma once

#include <string>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// A machine with a switch's operating system or name is a switch; every other machine is one
/// device, because the file contains no accelerators (fabric_class_guessed). Links to the outside
/// and to the management network are omitted. Rates and latencies are unknown. Errc: input_corrupt,
/// input_missing_attr.
[[nodiscard]] Result<Topology> read_air(const config::Json& file, const std::string& where,
                                        Findings& findings);

}  // namespace orrery::platform
