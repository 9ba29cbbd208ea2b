// SPDX-License-Identifier: Apache-2.0
//
// Folds small workloads in tests.
#pragma once

#include <vector>

#include "orrery/core/check.h"
#include "orrery/sim/shortcuts/folding/folding.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim::testing {

using Classes = std::vector<std::uint32_t>;

inline Folding folded(const graph::Workload& workload, const platform::Platform& platform) {
  const model::MultiDimFabric fabric(platform);
  Communicators communicators;
  ORRERY_CHECK(communicators.make(workload, platform.rules).has_value());
  const auto network = model::make_network(platform);
  CollectivePlanner planner(platform, fabric, *network);
  auto made = fold(workload, platform, fabric, *network, communicators, planner);
  ORRERY_CHECK(made.has_value());
  return std::move(*made);
}

inline Classes classes(const graph::Workload& workload, const platform::Platform& platform) {
  return folded(workload, platform).class_of;
}

/// `inner` × `outer` NPUs, both dimensions of one block and algorithm.
inline platform::Platform grid(std::int64_t inner, std::int64_t outer,
                               platform::Block block = platform::Block::ring,
                               platform::Algorithm algorithm = platform::Algorithm::ring) {
  platform::Platform made = line(block, inner, algorithm);
  made.dims.push_back({block, outer, Bandwidth(5e8), 2000.0});
  auto& config = made.collectives;
  for (auto* plan : config.plans()) {
    plan->per_dim.push_back({algorithm, -1});
  }
  return made;
}

inline void slow_down(platform::Platform& platform, std::vector<std::uint32_t> ranks) {
  platform.deviations.push_back({.ranks = std::move(ranks), .compute_time = 2});
}

}  // namespace orrery::sim::testing
