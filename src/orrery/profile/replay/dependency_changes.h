// SPDX-License-Identifier: Apache-2.0
//
// What-if changes of dependencies: scaled costs and ignored dependencies.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Factors for costs. Recorded waits and lags stay unchanged.
struct CostScales {
  double host = 1;     ///< steps of threads
  double kernels = 1;  ///< on the device, except communication
  double copies = 1;   ///< copies and memsets
  double communication = 1;
  /// Factors by a part of the kernel's name, instead of `kernels`, `copies` or `communication`; the
  /// first match counts.
  std::vector<std::pair<std::string, double>> named;

  [[nodiscard]] bool any() const {
    return host != 1 || kernels != 1 || copies != 1 || communication != 1 || !named.empty();
  }
};

/// Multiplies costs by factors, which must be positive and finite.
void scale_costs(const Profile& profile, Dependencies& dependencies, const CostScales& scales);

/// Dependencies that a replay ignores, to measure their effect.
struct IgnoredDependencies {
  /// Removes the overlap of streams: the works of a device run one after another.
  bool lanes = false;
  bool lags = false;            ///< all lags between works, including recorded waits
  bool launch_latency = false;  ///< lags of launches, up to 20 us
  bool across_streams = false;  ///< waits between streams: recorded, guessed and learned
  bool between_threads = false;
  bool think_time = false;  ///< time on a thread before an operator or a call begins
};

/// Changes lags, edges and costs of `dependencies`.
void ignore_dependencies(const Profile& profile, Dependencies& dependencies,
                         const IgnoredDependencies& ignored);

}  // namespace orrery::profile
