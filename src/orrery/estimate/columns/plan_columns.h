// SPDX-License-Identifier: Apache-2.0
//
// Plans of one job and their estimates as columns: one row is one plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// The values in which plans of a job differ. All others are those of the job's specification.
struct PlanColumns {
  std::vector<std::int32_t> tp, pp, cp, dp, ep, micro, chunks;
  std::vector<std::int32_t> microbatches;  ///< 0: micro × dp does not divide the global batch
  std::vector<workload::ScheduleKind> schedule;
  std::vector<workload::Sharding> sharding;
  std::vector<workload::RecomputeKind> recompute;
  std::vector<std::uint8_t> sp;

  [[nodiscard]] std::size_t size() const { return tp.size(); }
  void reserve(std::size_t plans);
  void add(const workload::Spec& plan);
  /// `base` with the values of the plan in `row`.
  [[nodiscard]] workload::Spec plan(std::size_t row, const workload::Spec& base) const;
};

/// The status of a plan's estimate.
enum class PlanVerdict : std::uint8_t {
  estimated,
  illegal,       ///< it violates a rule: StepColumns::rule
  too_large,     ///< exceeds the memory of a device
  not_estimable  ///< requires estimate/program or a simulation
};

/// Estimates, one per plan. Times are in picoseconds. The parts of `step` are those of the stage
/// with the longest passes.
struct StepColumns {
  std::vector<PlanVerdict> verdict;
  std::vector<std::uint16_t> rule;   ///< illegal: index of the violated rule (workload::rules)
  std::vector<std::int64_t> memory;  ///< peak of the fullest rank, bytes; 0: unknown
  std::vector<double> step;          ///< step time: the sum of the next four columns
  std::vector<double> compute;       ///< kernels without slowdown by communication
  std::vector<double> tensor;        ///< exposed tensor, context and expert parallelism
  std::vector<double> data;          ///< added by reducing gradients and gathering weights
  std::vector<double> waiting;       ///< waiting for other stages and their messages

  void resize(std::size_t plans);
};

}  // namespace orrery::estimate
