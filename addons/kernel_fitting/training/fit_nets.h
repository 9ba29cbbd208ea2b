// SPDX-License-Identifier: Apache-2.0
//
// Trains neural networks on measured kernels.
#pragma once

#include <functional>
#include <string>

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "addons/kernel_fitting/training/training_set.h"

namespace orrery::model {

/// A file for NetModel::read: a network for each class in the options and each device with enough
/// rows of it. Eight tenths of the rows are used for training, one tenth selects the epoch and sets
/// the error band, and one is the test set.
[[nodiscard]] Result<std::string> fit_nets(const TrainingSet& set, const FitOptions& options,
                                           const std::function<void(KernelFitReport)>& on_done);

}  // namespace orrery::model
