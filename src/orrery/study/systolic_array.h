// SPDX-License-Identifier: Apache-2.0
//
// The systolic array that the device of a cluster is said to be.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"

namespace orrery::study {

struct SystolicDevice {
  std::shared_ptr<const model::KernelModel> model;  ///< null: there is none, or nobody asks it
  std::uint64_t hash = 0;                           ///< of the file's bytes
};

/// The array that the platform's device names, at the device's clock: a path from the folder of the
/// cluster's file or from here; with --systolic from here. An array that nobody asks is a finding,
/// key_without_effect. Errc: those of model::read_systolic_config, and config_missing_key for a
/// device whose clock is not known.
[[nodiscard]] Result<SystolicDevice> read_array_for(const Question& question,
                                                    const platform::Platform& platform,
                                                    Findings& findings);

}  // namespace orrery::study
