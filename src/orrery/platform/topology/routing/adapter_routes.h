// SPDX-License-Identifier: Apache-2.0
//
// Routes of messages that collective libraries divide over several network adapters.
#pragma once

#include <vector>

#include "orrery/platform/topology/routing/router.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The route from one device to another over all adapters of the sender that begin shortest routes,
/// with equal shares, as the channels of a collective library use them. The i-th adapter sends to
/// the i-th adapter of the receiver where that is on a shortest route. Each link comes after those
/// that lead to it. False: there are not several such adapters, and `out` is unchanged.
[[nodiscard]] bool find_over_adapters(const Topology& topology, const Router& router,
                                      NodeIndex from, NodeIndex to, std::vector<RouteLink>& out);

/// Whether the routing allows that: policies `known` and `ecmp`, without fixed routes.
[[nodiscard]] bool may_use_all_adapters(const Routing& routing);

/// Whether some device has several network adapters of its own. O(links).
[[nodiscard]] bool has_several_adapters(const Topology& topology);

}  // namespace orrery::platform
