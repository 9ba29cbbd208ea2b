// SPDX-License-Identifier: Apache-2.0
//
// A computation model whose kernel times a function of the calling program may change.
#pragma once

#include <memory>
#include <string>

#include "orrery/model/caller/caller_models.h"
#include "orrery/model/compute/compute_model.h"

namespace orrery::model {

/// Asks `caller` about every kernel whose time is predicted, or that no model predicts; recorded
/// times stay. Returns `model` itself if `caller` is null or changes no kernels. `device`: its
/// name.
[[nodiscard]] std::unique_ptr<ComputeModel> with_caller_times(
    std::unique_ptr<ComputeModel> model, std::shared_ptr<const CallerModels> caller,
    std::string device);

}  // namespace orrery::model
