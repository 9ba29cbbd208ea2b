// SPDX-License-Identifier: Apache-2.0
//
// The files that models of kernel times answer from, read for a cluster's device.
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

/// One file.
struct LoadedKernelFile {
  std::shared_ptr<const model::KernelModel> model;  ///< null: there is none, or nothing asks it
  std::uint64_t hash = 0;                           ///< of the file's bytes
  std::string about;                                ///< "1,204 kernels", "trees of 3 classes"
};
/// In the order of kKernelFileTable.
using LoadedKernelFiles = std::array<LoadedKernelFile, kKernelFileTable.size()>;

/// Where a file lies that the cluster's file names: a path from that file's folder, or else from
/// here.
[[nodiscard]] std::string resolve_cluster_path(const Question& question, const std::string& named);

/// Reads the file of `row` at `path` for any device. Errc: those of config::read_text and
/// model::read_kernel_file.
[[nodiscard]] Result<LoadedKernelFile> read_kernel_file(const KernelFileEntry& row,
                                                        const std::string& path,
                                                        Findings& findings);

/// Reads the one that the platform's device names; paths of the cluster's file start at its folder,
/// or else here; typed ones here. A file that nothing asks is a finding, key_without_effect. Errc:
/// as above.
[[nodiscard]] Result<LoadedKernelFile> read_device_kernel_file(const KernelFileEntry& row,
                                                               const Question& question,
                                                               const platform::Platform& platform,
                                                               Findings& findings);

/// All that it names.
[[nodiscard]] Result<LoadedKernelFiles> read_kernel_files(const Question& question,
                                                          const platform::Platform& platform,
                                                          Findings& findings);

/// All of `files`, for any device, as commands about kernels alone take them.
[[nodiscard]] Result<model::SuppliedModels> read_kernel_models(const KernelFiles& files,
                                                               Findings& findings);

/// The models, by the source of their times.
[[nodiscard]] model::SuppliedModels given_models(const LoadedKernelFiles& files);

/// Whether the model has a time for any kernel of the workload, inside of what it knows.
[[nodiscard]] bool predicts_any(const model::KernelModel& model, const model::Silicon& silicon,
                                const graph::Workload& workload);

}  // namespace orrery::study
