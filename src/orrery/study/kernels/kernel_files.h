// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of kernel models for the device of a cluster.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/graph/workload.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// A file of a kernel model, loaded.
struct LoadedKernelFile {
  std::shared_ptr<const model::KernelModel> model;  ///< null: no file, or no model uses it
  std::uint64_t hash = 0;                           ///< hash of the file
  std::string about;                                ///< "1,204 kernels", "trees of 3 classes"
};
/// The files of a device, in the order of kKernelFileTable.
using LoadedKernelFiles = std::array<LoadedKernelFile, kKernelFileTable.size()>;

/// The path of a file that the cluster file names: relative to the folder of the cluster file, else
/// to the working folder.
[[nodiscard]] std::string resolve_cluster_path(const Question& question, const std::string& named);

/// Reads the file of `row` at `path` for any device. Errc: those of config::read_text and
/// model::read_kernel_file.
[[nodiscard]] Result<LoadedKernelFile> read_kernel_file(const KernelFileEntry& row,
                                                        const std::string& path,
                                                        Findings& findings);

/// Reads the file of `row` that the device of the platform names. Paths in a cluster file are
/// relative to its folder, else to the working folder; paths on the command line to the working
/// folder. A file that no model reads is a finding, key_without_effect. Errc: as above.
[[nodiscard]] Result<LoadedKernelFile> read_device_kernel_file(const KernelFileEntry& row,
                                                               const Question& question,
                                                               const platform::Platform& platform,
                                                               Findings& findings);

/// Reads all files that the device of the platform names.
[[nodiscard]] Result<LoadedKernelFiles> read_kernel_files(const Question& question,
                                                          const platform::Platform& platform,
                                                          Findings& findings);

/// Reads all of `files` for any device, for commands without a cluster.
[[nodiscard]] Result<model::SuppliedModels> read_kernel_models(const KernelFiles& files,
                                                               Findings& findings);

/// The models of `files`, by the source of their times.
[[nodiscard]] model::SuppliedModels given_models(const LoadedKernelFiles& files);

/// Whether the model predicts at least one kernel of the workload without extrapolation.
[[nodiscard]] bool predicts_any(const model::KernelModel& model, const model::Silicon& silicon,
                                const graph::Workload& workload);

}  // namespace orrery::study
