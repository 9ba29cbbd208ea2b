// SPDX-License-Identifier: Apache-2.0
//
// Plans of one job as columns, and what is told of them: one value of each column is one plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// What plans of a job differ in. All else is as in the specification that they are plans of.
struct PlanColumns {
  std::vector<std::int32_t> tp, pp, cp, dp, ep, micro, chunks;
  std::vector<std::int32_t> microbatches;  ///< 0: the global batch is no multiple of micro × dp
  std::vector<workload::ScheduleKind> schedule;
  std::vector<workload::Sharding> sharding;
  std::vector<workload::RecomputeKind> recompute;
  std::vector<std::uint8_t> sp;

  [[nodiscard]] std::size_t size() const { return tp.size(); }
  void reserve(std::size_t plans);
  void add(const workload::Spec& plan);
  /// `base` with what the columns say of one plan.
  [[nodiscard]] workload::Spec plan(std::size_t place, const workload::Spec& base) const;
  /// All plans from `begin` to `end`.
  [[nodiscard]] PlanColumns part(std::size_t begin, std::size_t end) const;
};

/// What is known of a plan.
enum class PlanVerdict : std::uint8_t {
  estimated,
  illegal,       ///< it breaks a rule: StepColumns::rule
  too_large,     ///< for a device's memory
  not_estimable  ///< only playing or simulating it tells
};

/// Answers, by plan. Times in picoseconds, of the step of the stage that is busy the longest.
struct StepColumns {
  std::vector<PlanVerdict> verdict;
  std::vector<std::uint16_t> rule;   ///< illegal: the number of a rule (workload::rules)
  std::vector<std::int64_t> memory;  ///< what the fullest rank needs, bytes; 0: not known
  std::vector<double> step;          ///< … which is the sum of
  std::vector<double> compute;       ///< kernels, as if no communication slowed them
  std::vector<double> tensor;        ///< what passes take more for tensor, context and experts
  std::vector<double> data;          ///< what gradients and gathered weights make it longer
  std::vector<double> waiting;       ///< for other stages and their messages

  void resize(std::size_t plans);
};

}  // namespace orrery::estimate
