// SPDX-License-Identifier: Apache-2.0
//
// Infers the tier of a switch where a file does not state it.
#pragma once

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Makes every node of NodeClass::switched a leaf, spine or core, by the number of switches to the
/// nearest device (or NIC, if it reaches no device). O(nodes + links).
void assign_tiers(TopologyBuilder& builder);

}  // namespace orrery::platform
