// SPDX-License-Identifier: Apache-2.0
//
// What is known of a generated workload beside its run: what a step is for, and what it holds.
#pragma once

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

struct JobSummary {
  result::StepWork work;
  workload::MemoryReport memory;  ///< no roles: it could not be accounted

  /// The role whose ranks hold most; null where memory could not be accounted.
  [[nodiscard]] const workload::RoleMemory* fullest() const {
    return memory.roles.empty() ? nullptr : &memory.roles[memory.worst];
  }
};

/// `samples`: keep the course of memory over the step, too. What does not fit into a device is a
/// finding, may_not_fit, and no error. Errc: limit_exceeded.
[[nodiscard]] Result<JobSummary> summarize_job(const workload::Program& program,
                                               const platform::Platform& platform, bool samples,
                                               Findings& findings);

}  // namespace orrery::study
