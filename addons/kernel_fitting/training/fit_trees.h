// SPDX-License-Identifier: Apache-2.0
//
// Trees, grown on measured kernels.
#pragma once

#include <functional>
#include <string>

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "addons/kernel_fitting/training/training_set.h"

namespace orrery::model {

/// What LearnedModel::read reads, of the classes that the options want and that have rows enough.
/// A class that one device has says nothing of others. Errc: usage (no XGBoost).
[[nodiscard]] Result<std::string> fit_trees(const TrainingSet& set, const FitOptions& options,
                                            const std::function<void(KernelFitReport)>& on_done);

}  // namespace orrery::model
