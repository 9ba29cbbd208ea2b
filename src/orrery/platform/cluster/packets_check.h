// SPDX-License-Identifier: Apache-2.0
//
// Contradictions in the section `packets` of the cluster file. Private to this room.
#pragma once

#include "orrery/config/parameters.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::platform {

/// Settings that contradict each other, or that have no effect, are errors in `reading`. Errc:
/// config_conflict, config_range.
void check_packets(const PacketSettings& packets, config::Reading& reading);

}  // namespace orrery::platform
