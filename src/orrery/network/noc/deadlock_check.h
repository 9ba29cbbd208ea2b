// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/network/noc/noc_routing.h"

namespace orrery::noc {

/// Whether packets can wait for each other in a circle. A packet that holds a channel waits for
/// those that its route may use next; the routing is free of deadlocks if no circle of channels
/// waits so (Dally and Seitz, 1987), or, with adaptive routes, if that holds for the channels of
/// the escape and every packet may enter the escape (Duato, "A new theory of deadlock-free adaptive
/// routing in wormhole networks", IEEE Transactions on Parallel and Distributed Systems 4 (12),
/// 1993). Errc::config_conflict: the links of a circle, or the router without escape.
/// O(destinations × links × classes of channels).
[[nodiscard]] Result<void> check_deadlock(const NocGraph& graph, const NocRoutes& routes);

}  // namespace orrery::noc
