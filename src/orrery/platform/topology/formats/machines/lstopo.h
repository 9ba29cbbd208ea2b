// SPDX-License-Identifier: Apache-2.0
//
// Reads the XML of hwloc's lstopo, versions 1 to 3: a machine with its packages, NUMA nodes and PCI
// devices.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Packages become CPUs, NUMA nodes memories, accelerators devices; NICs and the bridges above
/// devices are included, other PCI devices are omitted. PCI links have the rate that hwloc reports.
/// Distance matrices of bandwidths add NVLink and xGMI. A machine without accelerators is valid.
/// Errc: input_corrupt, input_unsupported, input_range, limit_exceeded.
[[nodiscard]] Result<Topology> read_lstopo(const pugi::xml_document& document,
                                           std::string_view text, const std::string& where,
                                           Findings& findings);

}  // namespace orrery::platform
