// SPDX-License-Identifier: Apache-2.0
//
// Grows trees on measured kernels.
#pragma once

#include <functional>
#include <string>

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "addons/kernel_fitting/training/training_set.h"

namespace orrery::model {

/// A file for LearnedModel::read, with the classes in the options that have enough rows. A class
/// that was measured on one device only has no model for other devices. Errc: usage (no XGBoost).
[[nodiscard]] Result<std::string> fit_trees(const TrainingSet& set, const FitOptions& options,
                                            const std::function<void(KernelFitReport)>& on_done);

}  // namespace orrery::model
