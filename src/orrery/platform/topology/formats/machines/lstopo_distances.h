// SPDX-License-Identifier: Apache-2.0
//
// hwloc's matrices of bandwidths between devices (NVLink, xGMI).
#pragma once

#include <cstdint>
#include <map>
#include <pugixml.hpp>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/formats/common/xml.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Adds a scale-up link for each pair with a bandwidth in a matrix, in MB/s; 0: none.
/// `by_index`: nodes by hwloc's gp_index. Errc: input_corrupt, input_truncated.
[[nodiscard]] Result<void> read_lstopo_distances(const pugi::xml_node& topology,
                                                 const XmlPlaces& places,
                                                 const std::map<std::uint64_t, NodeIndex>& by_index,
                                                 TopologyBuilder& builder, Findings& findings);

}  // namespace orrery::platform
