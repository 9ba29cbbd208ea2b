// SPDX-License-Identifier: Apache-2.0
//
// A recording's dependencies, changed: some of its work faster or slower, some of what keeps it in
// order left out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// What everything takes, as multiples of what it took. Recorded waits and lags stay.
struct CostScales {
  double host = 1;     ///< steps of threads
  double kernels = 1;  ///< of the device, but for communication
  double copies = 1;   ///< copies and memsets
  double communication = 1;
  /// Kernels whose name holds this text: instead of `kernels` or `communication`; the first that
  /// fits counts.
  std::vector<std::pair<std::string, double>> named;

  [[nodiscard]] bool any() const {
    return host != 1 || kernels != 1 || copies != 1 || communication != 1 || !named.empty();
  }
};

/// Changes costs. Factors are positive and finite.
void scale(const Profile& profile, Dependencies& dependencies, const CostScales& scales);

/// What a replay can do without, to see what it is worth.
struct IgnoredDependencies {
  bool lanes = false;           ///< streams of a device are apart: its works come one after another
  bool lags = false;            ///< all that goes by between two works, recorded waits too
  bool launch_latency = false;  ///< … of launches only, up to 20 us
  bool across_streams = false;  ///< waits of streams for each other, recorded, guessed and learned
  bool between_threads = false;
  bool think_time = false;  ///< what passes on a thread before an operator or a call begins
};

/// Changes lags, edges and costs.
void leave_out(const Profile& profile, Dependencies& dependencies, const IgnoredDependencies& what);

}  // namespace orrery::profile
