// SPDX-License-Identifier: Apache-2.0
//
// The same job as in checkpointing.h, failure by failure.
#pragma once

#include <cstdint>

#include "orrery/model/failures/checkpointing.h"

namespace orrery::model {

/// When a simulation ends: at the first of both.
struct SimulationLimit {
  std::uint64_t failures = 0;  ///< that begin
  double work = 0;             ///< seconds of training; infinite: no limit
};

struct SimulatedJob {
  double elapsed = 0;  ///< seconds
  double work = 0;     ///< training that is kept
  std::uint64_t failures = 0;
  std::uint64_t checkpoints = 0;
  TimeShares shares;  ///< of `elapsed`
};

/// `job.interval` must be finite and above 0, and so must the limit of the failures or of the work.
/// Samples the times between failures and of repairs (both exponential) by `seed` and `run`. Equal
/// inputs give equal results on any machine. A job whose work is limited ends without a checkpoint.
/// O(failures log spares).
[[nodiscard]] SimulatedJob simulate_failures(const CheckpointedJob& job, const SpareNodes& nodes,
                                             const SimulationLimit& limit, std::uint64_t seed,
                                             std::uint64_t run = 0);

/// The interval with the largest goodput in simulations of `failures` failures each, all with the
/// same samples: golden-section search in the logarithm of the interval, between a quarter and four
/// times the best interval in closed form. `job.interval` is ignored.
[[nodiscard]] double simulated_best_interval(CheckpointedJob job, std::uint64_t failures,
                                             std::uint64_t seed);

}  // namespace orrery::model
