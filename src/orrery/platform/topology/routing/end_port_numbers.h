// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the ports at which a network ends, for routes by destination.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The number of the port of the network through which each node is reached. Ports are numbered
/// switch by switch, in the order of the links, as if all switches had as many ports as the largest
/// one: so ports of a partly used switch leave a gap and shift no other number. A node inside a
/// host has the number of the nearest port of its host; nodes behind one port share it. Nodes
/// without such a port (hosts that are linked directly, switches) have the number of their rank,
/// else of the node. By node; O(nodes + links).
[[nodiscard]] std::vector<std::uint32_t> end_port_numbers(const Topology& topology);

}  // namespace orrery::platform
