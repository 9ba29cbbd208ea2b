// SPDX-License-Identifier: Apache-2.0
//
// A model of kernel times that somebody fitted, for the device of a cluster.
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

struct Fitted {
  std::shared_ptr<const model::KernelModel> model;  ///< null: there is none, or nobody asks it
  std::uint64_t hash = 0;                           ///< of the file's bytes
  std::string about;                                ///< "trees of 3 classes"
};

/// Reads a file that `orrery kernels fit` wrote. Errc: config_not_found, input_corrupt,
/// input_truncated, input_unsupported.
[[nodiscard]] Result<Fitted> read_fitted(const std::string& path);

/// The one that the platform's device names: found as tables are (read_measured_for). One that
/// nobody asks is a finding, key_without_effect. Errc: those of read_fitted.
[[nodiscard]] Result<Fitted> read_fitted_for(const Question& question,
                                             const platform::Platform& platform,
                                             Findings& findings);

}  // namespace orrery::study
