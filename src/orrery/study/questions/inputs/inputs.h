// SPDX-License-Identifier: Apache-2.0
//
// What a question is about, read: a workload and a cluster, in our own form or ASTRA-sim's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/graph/workload.h"
#include "orrery/model/caller/caller_models.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/platform/platform.h"
#include "orrery/study/kernels/kernel_files.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::workload {
struct Program;
}

namespace orrery::study {

/// What is known of the traces' structure.
[[nodiscard]] inline graph::Shape given_structure(const Question& question) {
  return {question.structure.layers, question.structure.microbatches};
}

/// A cluster, and how many devices it has.
struct Cluster {
  platform::Platform platform;
  std::uint32_t ranks = 0;
  LoadedKernelFiles kernel_files{};
  std::shared_ptr<const model::LibraryTimes> library{};  ///< runs the collectives; null: none does
  bool replay = false;  ///< only a stage: communications take the times that they were recorded to
  /// Functions of the calling program that change predicted times; null: none.
  std::shared_ptr<const model::CallerModels> caller{};

  [[nodiscard]] model::SuppliedModels kernel_models() const { return given_models(kernel_files); }
};

/// A workload for so many ranks.
struct Load {
  graph::Workload workload;
  std::string specification;                         ///< of a generated one: resolved, YAML
  std::shared_ptr<const workload::Program> program;  ///< … as it was assembled; else null
  std::string device_conversion =
      {};  ///< how recorded kernels came to another device, in words; empty: they did not
};

/// Several questions may be about the same.
struct Inputs {
  std::shared_ptr<const Cluster> cluster;
  std::shared_ptr<const Load> load;

  [[nodiscard]] const platform::Platform& platform() const { return cluster->platform; }
  [[nodiscard]] const graph::Workload& workload() const { return load->workload; }
};

/// Settles contradictions and words; a workload that is recorded traces becomes those. Errc: usage
/// and config_conflict.
[[nodiscard]] Result<void> settle(Question& question);

/// The cluster alone. `findings` gets what was ignored or assumed.
[[nodiscard]] Result<platform::Platform> read_platform(const Question& question,
                                                       Findings& findings);

/// The workload for `ranks` ranks (0 = as many as there are files). With 0 or 1, or to be
/// replicated, it may also be one file's own name.
[[nodiscard]] Result<graph::Workload> read_workload(const Question& question, std::uint32_t ranks,
                                                    Watch& watch);

/// The workload from recorded traces, converted in memory; for `ranks` ranks (0 = as many as there
/// are).
[[nodiscard]] Result<graph::Workload> read_recorded_workload(const Question& question,
                                                             std::uint32_t ranks, Watch& watch);

/// Under Orrery rules a cluster must not be smaller than the workload: Errc::config_conflict.
[[nodiscard]] Result<void> check_sizes(const Question& question,
                                       const platform::Platform& platform);

/// The two halves of a settled question. A load depends on the cluster by its size, by what it is
/// called, and by the custom algorithms that it names. `findings` gets what was odd, also where it
/// fails in the end.
[[nodiscard]] Result<Cluster> read_cluster(const Question& question, Findings& findings);
[[nodiscard]] Result<Load> read_load(const Question& question, const Cluster& cluster, Watch& watch,
                                     Findings& findings);

/// Makes the question's changes in a load that has none of them. What is changed there of jobs and
/// clusters was changed when these were made. Errc: as with_changes; config_conflict for changes of
/// a plan that traces do not have.
[[nodiscard]] Result<void> apply_changes(const Question& question, const Cluster& cluster,
                                         Load& load, Findings& findings);

}  // namespace orrery::study
