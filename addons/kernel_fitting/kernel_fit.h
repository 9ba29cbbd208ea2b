// SPDX-License-Identifier: Apache-2.0
//
// A model of kernel times, fitted to tables of one's own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "addons/kernel_fitting/training/fit_kernel_models.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::study {

/// As it was typed.
struct KernelFitQuestion {
  std::vector<std::string> tables;
  std::string devices;  ///< a file of devices; empty: those of the catalogue alone
  std::string by;       ///< "trees" or "nets"; empty: trees where this program can grow them
  std::string notes;    ///< a file whose text goes to the model's head; empty: tables' names do
  std::vector<std::string> classes;  ///< only these; empty: all
  std::int64_t seed = 1;
  std::int64_t epochs = 0;  ///< nets; 0: as many as model::NetOptions::work allows
  bool leave_out = true;    ///< trees: try each device by the others
};

struct KernelFitAnswer {
  model::Learner by = model::Learner::trees;
  model::KernelFit fit;
  std::size_t rows = 0;  ///< of all tables
  std::vector<std::string> devices;
  Findings findings;
};

/// `on_class` hears of each class when it is done. Errc: usage, those of read_kernel_tables and
/// model::fit.
[[nodiscard]] Result<KernelFitAnswer> fit_kernels(
    const KernelFitQuestion& question,
    const std::function<void(const model::KernelFitReport&)>& on_class);

}  // namespace orrery::study
