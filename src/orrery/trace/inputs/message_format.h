// SPDX-License-Identifier: Apache-2.0
//
// Detects texts with the messages of network simulations.
#pragma once

#include <string_view>

#include "orrery/trace/inputs/format.h"

namespace orrery::trace {

/// Format::htsim_matrix, ns3_flows or goal, from the first bytes of a text; else unknown. htsim's
/// topologies begin like its connection matrices, but do not count connections.
[[nodiscard]] Format message_format(std::string_view head);

}  // namespace orrery::trace
