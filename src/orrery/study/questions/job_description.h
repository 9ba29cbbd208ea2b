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
#include "orrery/platform/platform.h"
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

/// Size of the cluster that a job fills. 0 devices: no cluster is given.
struct ClusterSize {
  std::int64_t devices = 0;
  std::string where;
  workload::TargetMachine machine;  ///< for defaults that depend on it
};
/// The size and the machine of a cluster that `where` describes.
[[nodiscard]] ClusterSize size_of(const platform::Platform& platform, std::string where);

/// Builds the specification: the model, then files, then single values, then `set`, then defaults
/// for open values (workload::resolve_defaults). The result is valid. Errc: usage, config_*.
[[nodiscard]] Result<workload::Spec> specify(const JobDescription& job, const ClusterSize& cluster,
                                             Findings& findings);

/// Builds the specification and assembles its program. Errc: as specify().
[[nodiscard]] Result<workload::Program> assemble(const JobDescription& job,
                                                 const ClusterSize& cluster, Findings& findings);

/// A job, and the cluster that it fills.
struct JobOnCluster {
  workload::Program program;
  platform::Platform platform;  ///< the default without a cluster
};

/// Reads the cluster and assembles the job for it. `cluster` empty: none. Errc: those of both;
/// config_conflict unless it has as many devices as the plan has ranks.
[[nodiscard]] Result<JobOnCluster> assemble_on(const JobDescription& job,
                                               const std::string& cluster, Findings& findings);

}  // namespace orrery::study
