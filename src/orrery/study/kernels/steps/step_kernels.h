// SPDX-License-Identifier: Apache-2.0
//
// The kernels of one training step, and how long they take.
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
  graph::Kernel kernel{};  ///< of operation unsaid: nobody says what it is
  std::uint64_t nodes = 0;
  std::optional<model::TimeEstimate> each{};  ///< of one node; empty: no model says anything

  [[nodiscard]] std::uint64_t launches() const { return nodes * kernel.launches; }
};

/// Those of one rank.
struct StepKernels {
  std::uint64_t rank = 0;   ///< the first of its role
  std::string role;         ///< the program's first
  std::uint64_t ranks = 0;  ///< that do the same
  std::vector<StepKernel> kernels;
};

/// Exact counts, from the program; times as a simulation on `cluster` would take them, without
/// deviations.
[[nodiscard]] StepKernels step_kernels(const workload::Program& program, const Cluster& cluster);

}  // namespace orrery::study
