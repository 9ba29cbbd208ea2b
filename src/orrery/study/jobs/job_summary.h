// SPDX-License-Identifier: Apache-2.0
//
// Facts of a generated workload without a run: work of a step and memory.
#pragma once

#include <optional>
#include <vector>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/workload/memory/memory_bounds.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::study {

struct JobSummary {
  result::StepWork work;
  /// `work` by the format of products; empty if the peak of one is unknown.
  std::vector<analysis::FormatWork> work_by_format;
  workload::MemoryReport memory;  ///< no roles: it could not be computed

  /// The role with the largest memory; null if memory could not be computed.
  [[nodiscard]] const workload::RoleMemory* fullest() const {
    return memory.roles.empty() ? nullptr : &memory.roles[memory.worst];
  }
  /// The memory that it needs; empty if memory could not be computed.
  [[nodiscard]] std::optional<MemoryNeed> memory_need() const {
    if (fullest() == nullptr) return std::nullopt;
    return workload::memory_need(*fullest());
  }
};

/// The matrix products of a step by format, with the peaks of the device. Empty if the catalog
/// has no peak for one of the formats, or the device is not in the catalog.
[[nodiscard]] std::vector<analysis::FormatWork> work_by_format(const workload::StepCount& counted,
                                                               const platform::Device& device);

/// Summarizes work and memory of a job. `samples`: also store the memory curve over the step. A job
/// that does not fit into a device is a finding, may_not_fit, not an error. Errc: limit_exceeded.
[[nodiscard]] Result<JobSummary> summarize_job(const workload::Program& program,
                                               const platform::Platform& platform, bool samples,
                                               Findings& findings);

}  // namespace orrery::study
