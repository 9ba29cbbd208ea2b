// SPDX-License-Identifier: Apache-2.0
//
// Nets, trained on measured kernels.
#pragma once

#include <functional>
#include <string>

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "addons/kernel_fitting/training/training_set.h"

namespace orrery::model {

/// What NetModel::read reads: a net for each class that the options want and each device that has
/// rows enough of it. Eight tenths of the rows are learned, one chooses the epoch and sets the
/// band, one is tested on.
[[nodiscard]] Result<std::string> fit_nets(const TrainingSet& set, const FitOptions& options,
                                           const std::function<void(KernelFitReport)>& on_done);

}  // namespace orrery::model
