// SPDX-License-Identifier: Apache-2.0
//
// A fabric, or the graph of dimensions, as routers.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/noc/noc_routing.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::model {

/// The routers of a fabric: one for each of its nodes. End points (ranks, memories, switches that
/// reduce) are the nodes of the routers. Links have the numbers of the fabric's links.
struct NocFabric {
  noc::NocGraph graph;
  noc::RouteTable table;           ///< empty: routes follow from coordinates or `settings.routing`
  platform::NocSettings settings;  ///< complete
};

/// A mesh or torus whose devices are numbered with the first dimension fastest becomes a cube, so
/// that routes by dimension apply. For `shortest` in other graphs, the table has the routes of the
/// fabric's policy; of several next links, a hash of the router and the destination selects one.
[[nodiscard]] NocFabric make_noc_fabric(FabricRoutes& routes, const platform::Platform& platform);

}  // namespace orrery::model
