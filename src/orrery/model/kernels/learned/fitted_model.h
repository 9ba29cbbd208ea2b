// SPDX-License-Identifier: Apache-2.0
//
// Reads fitted models of kernel times from files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/model/kernels/kernel_model.h"

namespace orrery::model {

struct FittedModel {
  std::shared_ptr<const KernelModel> model;  ///< its times have the source TimeSource::fitted
  std::string about;                         ///< "trees of 2 classes", "3 nets"
};

/// Reads the output of `fit_kernel_models`: trees or nets, according to the file's first word.
/// Errc: input_corrupt, input_truncated, input_unsupported.
[[nodiscard]] Result<FittedModel> read_fitted_model(std::string_view text, std::string_view where);

}  // namespace orrery::model
