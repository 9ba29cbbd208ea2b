// SPDX-License-Identifier: Apache-2.0
//
// Fits a model of kernel times to the user's tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::study {

/// The options as typed.
struct KernelFitQuestion {
  std::vector<std::string> tables;
  std::string devices;  ///< a file of devices; empty: only those in the catalog
  std::string by;       ///< "trees" or "nets"; empty: trees if the program has XGBoost
  /// A file with text for the head of the model; empty: the names of the tables.
  std::string notes;
  std::vector<std::string> classes;  ///< only these; empty: all
  std::int64_t seed = 1;
  std::int64_t epochs = 0;  ///< for nets; 0: as many as model::NetOptions::work allows
  bool leave_out = true;    ///< for trees: also evaluate each device with a model of the others
};

struct KernelFitAnswer {
  model::Learner by = model::Learner::trees;
  model::KernelFit fit;
  std::size_t rows = 0;  ///< over all tables
  std::vector<std::string> devices;
  Findings findings;
};

/// Calls `on_class` after each class. Errc: usage, those of read_kernel_tables and model::fit.
[[nodiscard]] Result<KernelFitAnswer> fit_kernels(
    const KernelFitQuestion& question,
    const std::function<void(const model::KernelFitReport&)>& on_class);

}  // namespace orrery::study
