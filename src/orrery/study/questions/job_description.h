// SPDX-License-Identifier: Apache-2.0
//
// From the description of a training job to its specification and program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// A value of a description that sets one key of the specification (run_options.h).
struct JobDescriptionKey {
  std::string_view name;    ///< "global_batch"
  std::string_view option;  ///< "--global-batch"
  std::string JobDescription::*value;
  std::string_view path;  ///< "batch.global"
};
[[nodiscard]] std::span<const JobDescriptionKey> job_description_keys();

/// The cluster that a job is to fill. No devices: none is given.
struct ClusterSize {
  std::int64_t devices = 0;
  std::string where;
};

/// The specification: files first (on top of the model), then single values, then `set`, then what
/// these leave open (workload::resolve_defaults); legal. Errc: usage, config_*.
[[nodiscard]] Result<workload::Spec> specify(const JobDescription& job, const ClusterSize& cluster,
                                             Findings& findings);

/// The same, assembled.
[[nodiscard]] Result<workload::Program> assemble(const JobDescription& job,
                                                 const ClusterSize& cluster, Findings& findings);

}  // namespace orrery::study
