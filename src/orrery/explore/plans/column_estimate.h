// SPDX-License-Identifier: Apache-2.0
//
// All plans of a job told in columns, before any of them is laid out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/column_estimator.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

/// As FittedPlan, of a plan that is not laid out.
struct ColumnEstimate {
  bool seen = false;  ///< false: it has to be laid out
  bool fits = false;
  std::int64_t memory = 0;  ///< with the most recomputation that was tried; 0: nothing was legal
  workload::RecomputeKind recompute = workload::RecomputeKind::none;  ///< of that
  std::string rule;                                                   ///< that it breaks
  std::optional<double> step;  ///< picoseconds; none: it has to be played
};

/// What estimate/columns says of each plan, with the first kind of recomputation that fits. `plans`
/// differ in nothing but columns. Empty: nothing of this job is told so. Errc: those of laying
/// programs out and of simulations.
[[nodiscard]] Result<std::vector<ColumnEstimate>> estimate_in_columns(
    const std::vector<workload::Spec>& plans, const std::vector<workload::RecomputeKind>& recompute,
    const std::shared_ptr<const study::Cluster>& cluster, estimate::OpCosts& costs);

/// The same of columns that are there.
[[nodiscard]] Result<std::vector<ColumnEstimate>> estimate_in_columns(
    const std::vector<workload::Spec>& plans, const std::vector<workload::RecomputeKind>& recompute,
    estimate::ColumnEstimator& columns);

}  // namespace orrery::explore
