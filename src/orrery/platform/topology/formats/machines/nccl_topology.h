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

/// One machine, or one per `host_hash`. PCIe links have the rate that speed and width make; a NIC's
/// port is a node whose link to the NIC has the port's speed; NVLinks are counted and have no rate,
/// because none is stated; links from chip to chip (c2c) have the one that is. CPUs are joined with
/// each other. In files that leave GPUs out, PCI classes tell what a device is. Errc:
/// input_corrupt, input_range, input_unsupported (a version), limit_exceeded.
[[nodiscard]] Result<Topology> read_nccl_topology(std::string_view text, const std::string& where,
                                                  Findings& findings);

/// The same of a document that is parsed already.
[[nodiscard]] Result<Topology> read_nccl_topology(const pugi::xml_document& document,
                                                  std::string_view text, const std::string& where,
                                                  Findings& findings);

}  // namespace orrery::platform
