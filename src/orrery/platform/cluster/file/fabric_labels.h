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
  using Word = EnumName<platform::Summand>;
  static constexpr std::array names = {
      Word{"fp64", platform::Summand::fp64},   Word{"fp32", platform::Summand::fp32},
      Word{"bf16", platform::Summand::bf16},   Word{"fp16", platform::Summand::fp16},
      Word{"fp8", platform::Summand::fp8},     Word{"int8", platform::Summand::int8},
      Word{"int32", platform::Summand::int32}, Word{"int64", platform::Summand::int64}};
};
template <>
struct EnumNames<platform::HostInterconnect> {
  using Word = EnumName<platform::HostInterconnect>;
  static constexpr std::array names = {
      Word{"switch", platform::HostInterconnect::switched},
      Word{"fully_connected", platform::HostInterconnect::fully_connected},
      Word{"ring", platform::HostInterconnect::ring},
      Word{"mesh", platform::HostInterconnect::mesh},
      Word{"torus", platform::HostInterconnect::torus},
      Word{"none", platform::HostInterconnect::none}};
};
template <>
struct EnumNames<platform::NetworkShape> {
  using Word = EnumName<platform::NetworkShape>;
  static constexpr std::array names = {
      Word{"switch", platform::NetworkShape::switched},
      Word{"fat_tree", platform::NetworkShape::fat_tree},
      Word{"rail_optimised", platform::NetworkShape::rail_optimised},
      Word{"rail_only", platform::NetworkShape::rail_only},
      Word{"dual_plane", platform::NetworkShape::dual_plane},
      Word{"dragonfly", platform::NetworkShape::dragonfly},
      Word{"dragonfly_plus", platform::NetworkShape::dragonfly_plus},
      Word{"ring", platform::NetworkShape::ring},
      Word{"mesh", platform::NetworkShape::mesh},
      Word{"torus", platform::NetworkShape::torus},
      Word{"tpu", platform::NetworkShape::tpu},
      Word{"circuits", platform::NetworkShape::circuits},
      Word{"fully_connected", platform::NetworkShape::fully_connected},
      Word{"none", platform::NetworkShape::none}};
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
/// Those that generators make.
template <>
struct EnumNames<platform::NodeClass> {
  using Word = EnumName<platform::NodeClass>;
  static constexpr std::array names = {
      Word{"device", platform::NodeClass::device},     Word{"nic", platform::NodeClass::nic},
      Word{"nvswitch", platform::NodeClass::nvswitch}, Word{"leaf", platform::NodeClass::leaf},
      Word{"spine", platform::NodeClass::spine},       Word{"core", platform::NodeClass::core},
      Word{"switch", platform::NodeClass::switched}};
};
template <>
struct EnumNames<platform::LinkClass> {
  using Word = EnumName<platform::LinkClass>;
  static constexpr std::array names = {
      Word{"scale-up", platform::LinkClass::scale_up}, Word{"pcie", platform::LinkClass::pcie},
      Word{"network", platform::LinkClass::network},   Word{"host", platform::LinkClass::host},
      Word{"inside", platform::LinkClass::inside},     Word{"memory", platform::LinkClass::memory},
      Word{"other", platform::LinkClass::other}};
};

}  // namespace orrery::config
