// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/network/noc/noc_routing.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::noc {

/// Whether packets can wait for each other in a circle. A packet that holds a channel waits for
/// those that its route may use next; the routing is free of deadlocks if no circle of channels
/// waits so (Dally and Seitz, 1987), or, with adaptive routes, if that holds for the channels of
/// the escape and every packet may enter the escape (Duato, "A new theory of deadlock-free adaptive
/// routing in wormhole networks", IEEE Transactions on Parallel and Distributed Systems 4 (12),
/// 1993). Errc::config_conflict: the links of a circle, or the router without escape.
/// O(destinations × links × classes of channels).
[[nodiscard]] Result<void> check_deadlock(const NocGraph& graph, const NocRoutes& routes);

/// Routes without deadlocks: `automatic` becomes `up_down` where `shortest` has some. Meshes and
/// tori are checked with sides of at most 5 (4 dimensions: 4) of the same parity, on which the
/// routings by coordinates have the same turns. Errc: see NocRoutes::make and check_deadlock.
[[nodiscard]] Result<NocRoutes> find_safe_routes(const NocGraph& graph,
                                                 platform::NocSettings settings,
                                                 RouteTable table = {});

}  // namespace orrery::noc
