// SPDX-License-Identifier: Apache-2.0
//
// Words for the settings of routers, in cluster files and on the command line.
#pragma once

#include <array>

#include "orrery/config/field.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::config {

template <>
struct EnumNames<platform::NocAllocator> {
  using enum platform::NocAllocator;
  using Word = EnumName<platform::NocAllocator>;
  static constexpr std::array names = {Word{"islip", islip}, Word{"separable", separable},
                                       Word{"wavefront", wavefront}};
};
template <>
struct EnumNames<platform::NocSwitching> {
  using enum platform::NocSwitching;
  using Word = EnumName<platform::NocSwitching>;
  static constexpr std::array names = {Word{"wormhole", wormhole},
                                       Word{"cut_through", cut_through}};
};
template <>
struct EnumNames<platform::NocSkipping> {
  using enum platform::NocSkipping;
  using Word = EnumName<platform::NocSkipping>;
  static constexpr std::array names = {Word{"off", off}, Word{"repeats", repeats}};
};
template <>
struct EnumNames<platform::NocRouting> {
  using enum platform::NocRouting;
  using Word = EnumName<platform::NocRouting>;
  static constexpr std::array names = {Word{"auto", automatic},
                                       Word{"xy", xy},
                                       Word{"yx", yx},
                                       Word{"o1turn", o1turn},
                                       Word{"adaptive", adaptive},
                                       Word{"xy_escape", xy_escape},
                                       Word{"valiant", valiant},
                                       Word{"shortest", shortest},
                                       Word{"up_down", up_down}};
};
}  // namespace orrery::config
