// SPDX-License-Identifier: Apache-2.0
//
// The words of fabrics in cluster files (see fabric_section.h).
#pragma once

#include <array>
#include <cstddef>

#include "orrery/config/field.h"
#include "orrery/platform/platform.h"
#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::config {

template <>
struct EnumNames<platform::Summand> {
  using enum platform::Summand;
  using Word = EnumName<platform::Summand>;
  static constexpr std::array names = {
      Word{"fp64", fp64}, Word{"fp32", fp32}, Word{"bf16", bf16},   Word{"fp16", fp16},
      Word{"fp8", fp8},   Word{"int8", int8}, Word{"int32", int32}, Word{"int64", int64}};
};
template <>
struct EnumNames<platform::HostInterconnect> {
  using enum platform::HostInterconnect;
  using Word = EnumName<platform::HostInterconnect>;
  static constexpr std::array names = {
      Word{"switch", switched}, Word{"fully_connected", fully_connected},
      Word{"ring", ring},       Word{"mesh", mesh},
      Word{"torus", torus},     Word{"none", none}};
};
template <>
struct EnumNames<platform::NetworkShape> {
  using enum platform::NetworkShape;
  using Word = EnumName<platform::NetworkShape>;
  static constexpr std::array names = {Word{"switch", switched},
                                       Word{"fat_tree", fat_tree},
                                       Word{"rail_optimized", rail_optimized},
                                       Word{"rail_optimised", rail_optimized},  // before 0.6
                                       Word{"rail_only", rail_only},
                                       Word{"dual_plane", dual_plane},
                                       Word{"dragonfly", dragonfly},
                                       Word{"dragonfly_plus", dragonfly_plus},
                                       Word{"ring", ring},
                                       Word{"mesh", mesh},
                                       Word{"torus", torus},
                                       Word{"tpu", tpu},
                                       Word{"circuits", circuits},
                                       Word{"fully_connected", fully_connected},
                                       Word{"none", none}};
};
template <>
struct EnumNames<platform::RoutePolicy> {
  static constexpr std::array names = [] {
    std::array<EnumName<platform::RoutePolicy>, platform::kRoutePolicies.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = {platform::kRoutePolicies[i].word, platform::kRoutePolicies[i].policy};
    return made;
  }();
};
/// The classes that generators produce.
template <>
struct EnumNames<platform::NodeClass> {
  using enum platform::NodeClass;
  using Word = EnumName<platform::NodeClass>;
  static constexpr std::array names = {
      Word{"device", device}, Word{"nic", nic},   Word{"nvswitch", nvswitch}, Word{"leaf", leaf},
      Word{"spine", spine},   Word{"core", core}, Word{"switch", switched}};
};
template <>
struct EnumNames<platform::LinkClass> {
  using enum platform::LinkClass;
  using Word = EnumName<platform::LinkClass>;
  static constexpr std::array names = {Word{"scale-up", scale_up}, Word{"pcie", pcie},
                                       Word{"network", network},   Word{"host", host},
                                       Word{"inside", inside},     Word{"memory", memory},
                                       Word{"other", other}};
};

}  // namespace orrery::config
