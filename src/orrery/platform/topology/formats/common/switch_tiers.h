// SPDX-License-Identifier: Apache-2.0
//
// Which tier a switch is of, where a file does not say it.
#pragma once

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Makes every node of NodeClass::switched a leaf, spine or core: by how many of them stand between
/// it and the nearest device (or NIC, where nothing leads to a device). O(nodes + links).
void assign_tiers(TopologyBuilder& builder);

}  // namespace orrery::platform
