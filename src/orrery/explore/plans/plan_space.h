// SPDX-License-Identifier: Apache-2.0
//
// The candidate plans of a job: values of their parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/study/question.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

/// Values to try, ascending. Sequence parallelism is on if tp > 1. All other values are those of
/// the job.
struct PlanSpace {
  std::vector<std::int64_t> tp, pp, cp, ep, micro;
  std::vector<workload::ScheduleKind> schedule;  ///< for plans with stages
  std::vector<std::int64_t> chunks;              ///< for schedules that support them
  std::vector<workload::Sharding> sharding;
  /// In this order until one fits: recomputation costs time, so a plan is never better with more of
  /// it.
  std::vector<workload::RecomputeKind> recompute;
};

/// Returns the values that the job gives ("8", "2,4,8"), and defaults for the others. tp: powers of
/// two up to `island`, the number of tightly linked devices. pp: divisors of the number of layers
/// up to `devices`. ep: powers of two up to the number of experts. cp, unless `base` sets it:
/// powers of two that leave each rank at least 8,192 tokens of a sequence. Errc: usage.
[[nodiscard]] Result<PlanSpace> plan_space_of(const study::JobDescription& job,
                                              const workload::Spec& base, std::int64_t devices,
                                              std::int64_t island);

/// Plans of the space that fill `devices`, in a fixed order; `base` has all other values. All have
/// the first kind of recomputation.
[[nodiscard]] std::vector<workload::Spec> plans_of(const PlanSpace& space,
                                                   const workload::Spec& base,
                                                   std::int64_t devices);

/// "tp 8, pp 4, dp 8, micro 1, 2 chunks, zero1, recompute selective"; omits the schedules 1F1B and
/// interleaved.
[[nodiscard]] std::string plan_label(const workload::Spec& spec);

}  // namespace orrery::explore
