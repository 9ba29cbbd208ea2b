// SPDX-License-Identifier: Apache-2.0
//
// Estimates all plans of a job in columns (closed form), before any program is assembled.
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

/// Like FittedPlan, for a plan whose program is not assembled.
struct ColumnEstimate {
  bool supported = false;  ///< false: columns do not support it
  bool fits = false;
  /// Peak with the most recomputation tried; 0: no kind is valid.
  std::int64_t memory = 0;
  workload::RecomputeKind recompute = workload::RecomputeKind::none;  ///< recomputation of `memory`
  std::string rule;                                                   ///< violated rule
  std::optional<double> step;  ///< picoseconds; empty: needs the detailed estimate
};

/// Estimates each plan in columns, with the first kind of recomputation that fits. `plans` may
/// differ in columns only. Empty: columns do not support this job. Errc: those of assembling
/// programs and of simulations.
[[nodiscard]] Result<std::vector<ColumnEstimate>> estimate_in_columns(
    const std::vector<workload::Spec>& plans, const std::vector<workload::RecomputeKind>& recompute,
    const std::shared_ptr<const study::Cluster>& cluster, estimate::OpCosts& costs);

/// The same with an existing estimator.
[[nodiscard]] Result<std::vector<ColumnEstimate>> estimate_in_columns(
    const std::vector<workload::Spec>& plans, const std::vector<workload::RecomputeKind>& recompute,
    estimate::ColumnEstimator& columns);

}  // namespace orrery::explore
