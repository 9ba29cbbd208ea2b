// SPDX-License-Identifier: Apache-2.0
//
// NCCL's and RCCL's topology files (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE): CPUs, PCI devices below
// them, GPUs with their NVLinks or xGMI links, NICs with their ports.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// One machine, or one per `host_hash`. PCIe links have the rate of their speed and width. A NIC's
/// port is a node, and its link to the NIC has the port's speed. NVLinks have a number but no rate,
/// because the file states none; chip-to-chip links (c2c) have the stated rate. All CPUs are
/// linked. If the file lists no GPU elements, PCI classes determine the devices. Errc:
/// input_corrupt, input_range, input_unsupported (a version), limit_exceeded.
[[nodiscard]] Result<Topology> read_nccl_topology(const pugi::xml_document& document,
                                                  std::string_view text, const std::string& where,
                                                  Findings& findings);

}  // namespace orrery::platform
