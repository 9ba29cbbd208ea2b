// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "orrery/network/fabric_routes.h"

namespace orrery::model {

namespace {

/// The first request of a route.
struct RouteRequest {
  std::uint32_t state = 0;
  EndPoint from = 0;
  EndPoint to = 0;
};

}  // namespace

void FabricRoutes::save(StateWriter& to) const {
  to(static_cast<std::uint64_t>(states_.size()));
  std::vector<RouteRequest> requests(routes_.size());
  for (std::uint32_t state = 0; state < states_.size(); ++state) {
    const State& at = states_[state];
    to(std::vector<std::uint8_t>(at.active_faults.begin(), at.active_faults.end()));
    for (const auto& [pair, route] : at.cached_routes) {
      if (route == nullptr) continue;
      requests[route->number] = {state, static_cast<EndPoint>(pair >> 32),
                                 static_cast<EndPoint>(pair)};
    }
  }
  to(requests);
}

void FabricRoutes::load(StateReader& from) {
  const std::size_t states = from.count();
  for (std::uint32_t number = 0; number < states && !from.failed(); ++number) {
    const auto active = from.take<std::vector<std::uint8_t>>();
    from.require(active.size() == states_.front().active_faults.size());
    if (!from.failed()) from.require(state({active.begin(), active.end()}) == number);
  }
  const auto requests = from.take<std::vector<RouteRequest>>();
  for (std::uint32_t number = 0; number < requests.size() && !from.failed(); ++number) {
    const RouteRequest& asked = requests[number];
    from.require(asked.state < states_.size() && asked.from < nodes_.size() &&
                 asked.to < nodes_.size() && asked.from != asked.to);
    if (from.failed()) return;
    const Route* route = find(asked.state, asked.from, asked.to);
    from.require(route != nullptr && route->number == number);
  }
}

std::uint32_t FabricRoutes::number_of(const Route* route) const {
  if (route == nullptr) return kNoRoute;
  return route == &adaptive_route_ ? 0 : route->number;
}

const Route* FabricRoutes::route_numbered(std::uint32_t number, StateReader& from) const {
  if (number == kNoRoute) return nullptr;
  if (needs_loads()) return &adaptive_route_;
  from.require(number < routes_.size());
  return from.failed() ? nullptr : &routes_[number];
}

}  // namespace orrery::model
