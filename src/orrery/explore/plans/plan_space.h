// SPDX-License-Identifier: Apache-2.0
//
// Which plans of a job are tried: values of what decides them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/study/question.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

/// Values that are tried, ascending. Sequences are cut with tp. Everything else is as the job says.
struct PlanSpace {
  std::vector<std::int64_t> tp, pp, cp, ep, micro;
  std::vector<workload::ScheduleKind> schedule;  ///< with stages
  std::vector<std::int64_t> chunks;              ///< … of schedules that may have so many
  std::vector<workload::Sharding> sharding;
  /// In the order in which they are tried until one fits: what is computed again costs time, so
  /// that no plan is better with more of it.
  std::vector<workload::RecomputeKind> recompute;
};

/// What the job gives ("8", "2,4,8"), and all else: tp and pp, powers of two and what divides
/// layers, for `devices` of which `island` are tightly linked; ep for experts; cp, unless `base`
/// has one, powers of two that leave each rank 8,192 tokens of a sequence and more. Errc: usage.
[[nodiscard]] Result<PlanSpace> plan_space_of(const study::JobDescription& job,
                                              const workload::Spec& base, std::int64_t devices,
                                              std::int64_t island);

/// Plans of the space that fill `devices`, in a fixed order; `base` has all else. Recomputation
/// apart: of each plan as `recompute[0]` says.
[[nodiscard]] std::vector<workload::Spec> plans_of(const PlanSpace& space,
                                                   const workload::Spec& base,
                                                   std::int64_t devices);

/// "tp 8, pp 4, dp 8, micro 1, 2 chunks, zero1, recompute selective"; 1F1B and interleaved go
/// without saying.
[[nodiscard]] std::string plan_label(const workload::Spec& spec);

}  // namespace orrery::explore
