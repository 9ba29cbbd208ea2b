// SPDX-License-Identifier: Apache-2.0
//
// The kernels of one training step, and their predicted times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/model/time_estimate.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// One distinct kernel.
struct StepKernel {
  graph::Kernel kernel{};  ///< operation unsaid: unknown kernel
  std::uint64_t nodes = 0;
  std::optional<model::TimeEstimate> each{};  ///< time of one node; empty: no model applies

  [[nodiscard]] std::uint64_t launches() const { return nodes * kernel.launches; }
};

/// The kernels of one rank.
struct StepKernels {
  std::uint64_t rank = 0;   ///< first rank of its role
  std::string role;         ///< first role of the program
  std::uint64_t ranks = 0;  ///< ranks with this role
  std::vector<StepKernel> kernels;
};

/// The time of each kernel of `kernels` in a step on `cluster`, as simulations use it; empty: no
/// model applies. The table must not grow during the call.
[[nodiscard]] std::vector<std::optional<model::TimeEstimate>> times_in_step(
    const graph::KernelTable& kernels, const Cluster& cluster);

/// Counts are exact, from the program. Times are those of a simulation on `cluster`, without
/// deviations.
[[nodiscard]] StepKernels step_kernels(const workload::Program& program, const Cluster& cluster);

}  // namespace orrery::study
