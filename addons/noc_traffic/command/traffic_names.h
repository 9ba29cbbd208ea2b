// SPDX-License-Identifier: Apache-2.0
//
// Words for topologies and traffic.
#pragma once

#include <array>

#include "addons/noc_traffic/traffic_curve.h"
#include "orrery/config/field.h"

namespace orrery::config {

template <>
struct EnumNames<noc::TrafficTopology> {
  using enum noc::TrafficTopology;
  using Word = EnumName<noc::TrafficTopology>;
  static constexpr std::array names = {Word{"mesh", mesh}, Word{"torus", torus}, Word{"ring", ring},
                                       Word{"crossbar", crossbar},
                                       Word{"fully-connected", fully_connected}};
};
template <>
struct EnumNames<noc::TrafficPattern> {
  using enum noc::TrafficPattern;
  using Word = EnumName<noc::TrafficPattern>;
  static constexpr std::array names = {Word{"uniform", uniform},       Word{"transpose", transpose},
                                       Word{"complement", complement}, Word{"shuffle", shuffle},
                                       Word{"hot-spot", hot_spot},     Word{"trace", trace}};
};

}  // namespace orrery::config
