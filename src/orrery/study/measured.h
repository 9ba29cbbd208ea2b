// SPDX-License-Identifier: Apache-2.0
//
// Kernels that somebody measured, for the device of a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"

namespace orrery::study {

struct Measured {
  std::shared_ptr<const model::KernelModel> model;  ///< null: there is no table, or nobody asks it
  std::uint64_t hash = 0;                           ///< of the file's bytes
  std::size_t kernels = 0;                          ///< of all devices
};

/// The table that the platform's device names: a path from the folder of the cluster's file or from
/// here; with --kernel-table from here. A table that nobody asks is a finding, key_without_effect.
/// Errc: those of model::read_measured and check_measured, and config_conflict for one without the
/// device.
[[nodiscard]] Result<Measured> read_measured_for(const Question& question,
                                                 const platform::Platform& platform,
                                                 Findings& findings);

/// A file that a cluster's file names lies where that says, from its folder; one that was typed
/// lies where it was. `typed`: it is.
[[nodiscard]] std::string place_of_kernels(const Question& question, const std::string& named,
                                           bool typed);

/// Whether the model has a time for any kernel of the workload, inside of what it knows.
[[nodiscard]] bool answers_any(const model::KernelModel& model, const model::Silicon& silicon,
                               const graph::Workload& workload);

}  // namespace orrery::study
