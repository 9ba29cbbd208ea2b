// SPDX-License-Identifier: Apache-2.0
//
// The memories of the network that a rank uses.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/network/network.h"
#include "orrery/platform/platform.h"

namespace orrery::sim {

/// The memories that a rank of the workload uses, as end points: the nearest ones, or all.
/// Ascending.
[[nodiscard]] std::vector<model::EndPoint> memories_of(const platform::RemoteMemory& memory,
                                                       const model::Network& network,
                                                       std::uint32_t rank);

}  // namespace orrery::sim
