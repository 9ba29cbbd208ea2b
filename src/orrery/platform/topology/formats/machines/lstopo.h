// SPDX-License-Identifier: Apache-2.0
//
// What hwloc's lstopo writes as XML, versions 1 to 3: one machine with its packages, NUMA nodes and
// PCI devices.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Packages become CPUs, NUMA nodes memory, accelerators devices, NICs and the bridges that lead to
/// them what they are; other PCI devices are left out. Links to the PCI have the rate that hwloc
/// found; links that distance matrices of bandwidths tell (NVLink, xGMI) are there, too. A machine
/// without accelerators is read all the same. Errc: input_corrupt,
/// input_unsupported, input_range, limit_exceeded.
[[nodiscard]] Result<Topology> read_lstopo(std::string_view text, const std::string& where,
                                           Findings& findings);

/// The same of a document that is parsed already.
[[nodiscard]] Result<Topology> read_lstopo(const pugi::xml_document& document,
                                           std::string_view text, const std::string& where,
                                           Findings& findings);

}  // namespace orrery::platform
