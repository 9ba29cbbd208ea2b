// SPDX-License-Identifier: Apache-2.0
//
// By which models plans and points are evaluated.
#pragma once

#include <array>
#include <cstdint>

#include "orrery/config/field.h"

namespace orrery::explore {

/// Which models answer.
enum class Evaluation : std::uint8_t {
  columns,   ///< in closed form where that is known (estimate/columns), else as `estimate`
  estimate,  ///< what ops take by themselves, put together without events (estimate/program)
  simulate,  ///< every plan is simulated
  automatic  ///< every plan is estimated, the best are simulated
};

}  // namespace orrery::explore

namespace orrery::config {

/// Those that can be asked for.
template <>
struct EnumNames<explore::Evaluation> {
  static constexpr std::array<EnumName<explore::Evaluation>, 3> names{
      {{"estimate", explore::Evaluation::estimate},
       {"simulate", explore::Evaluation::simulate},
       {"auto", explore::Evaluation::automatic}}};
};

}  // namespace orrery::config
