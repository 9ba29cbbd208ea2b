// SPDX-License-Identifier: Apache-2.0
//
// From the description of a training job to its specification and program.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// One value of a description: what option sets it, and what of the specification it is.
struct DescriptionKey {
  const char* option;
  std::string JobDescription::*value;
  const char* path;
  const char* about;
  const char* type;
};
[[nodiscard]] std::span<const DescriptionKey> description_keys();

/// The cluster that a job is to fill. No devices: none is given.
struct ClusterSize {
  std::int64_t devices = 0;
  std::string where;
};

/// The specification: files first (on top of the model), then single values, then `set`, then what
/// these leave open (workload::settle); legal. Errc: usage, config_*.
[[nodiscard]] Result<workload::Spec> specify(const JobDescription& job, const ClusterSize& cluster,
                                             Findings& findings);

/// The same, assembled.
[[nodiscard]] Result<workload::Program> assemble(const JobDescription& job,
                                                 const ClusterSize& cluster, Findings& findings);

}  // namespace orrery::study
