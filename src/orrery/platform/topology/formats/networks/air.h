// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA Air's topologies (JSON): virtual machines and the cables between their interfaces.
#pragma once

#include <string>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// What runs a switch's operating system, or is called like one, is a switch; every other machine
/// is taken as one device, because accelerators are not in such a file (fabric_class_guessed).
/// Links to outside and to the management network are left out. Nothing states rates or latencies.
/// Errc: input_corrupt, input_missing_attr.
[[nodiscard]] Result<Topology> read_air(const config::Json& file, const std::string& where,
                                        Findings& findings);

}  // namespace orrery::platform
