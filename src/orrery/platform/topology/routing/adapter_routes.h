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

}  // namespace orrery::platform
