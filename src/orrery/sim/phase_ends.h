// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/sim/state.h"

namespace orrery::sim {

/// Who wants to know that a chunk has gone through its phase.
class PhaseEnds {
 public:
  virtual ~PhaseEnds() = default;
  virtual void phase_ends(Stream& stream) = 0;
};

}  // namespace orrery::sim
