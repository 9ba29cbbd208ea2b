// SPDX-License-Identifier: Apache-2.0
//
// Evaluation methods of plans and points.
#pragma once

#include <array>
#include <cstdint>

#include "orrery/config/field.h"

namespace orrery::explore {

/// Evaluation methods.
enum class Evaluation : std::uint8_t {
  columns,   ///< closed form if supported (estimate/columns), else `estimate`
  estimate,  ///< estimate without events from contention-free op times (estimate/program)
  simulate,  ///< simulates every plan
  automatic  ///< estimates every plan, simulates the best
};

}  // namespace orrery::explore

namespace orrery::config {

/// Methods that a user can request.
template <>
struct EnumNames<explore::Evaluation> {
  static constexpr std::array<EnumName<explore::Evaluation>, 3> names{
      {{"estimate", explore::Evaluation::estimate},
       {"simulate", explore::Evaluation::simulate},
       {"auto", explore::Evaluation::automatic}}};
};

}  // namespace orrery::config
