// SPDX-License-Identifier: Apache-2.0
//
// Fits models of kernel times to measured tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "addons/kernel_fitting/training/booster.h"
#include "addons/kernel_fitting/training/net_training.h"
#include "orrery/model/kernels/learned/learned_model.h"
#include "orrery/model/kernels/measured_rows.h"

namespace orrery::model {

/// The kind of model.
enum class Learner : std::uint8_t {
  trees,  ///< boosted trees, one model per class for all devices; grown by XGBoost
  nets,   ///< neural networks, one per device and class; sizes are the only inputs (Lin et al.)
};

/// Options for devices that were not measured: few leaves, for what devices have in common.
[[nodiscard]] inline BoosterOptions general_boost_options() {
  BoosterOptions options;
  options.rounds = 100;
  options.leaves = 16;
  options.depth = 5;
  return options;
}

struct FitOptions {
  Learner by = Learner::trees;
  std::uint64_t seed = 1;
  BoosterOptions boost;  ///< trees for measured devices; twice the leaves for expert kernels, whose
                         ///< seven sizes form almost as many curves as rows
  BoosterOptions general = general_boost_options();  ///< trees for other devices
  NetOptions net;                                    ///< neural networks
  std::string notes;      ///< sources and licenses, for the head of the file
  bool leave_out = true;  ///< trees: also fit without each device in turn, to evaluate the error
  std::vector<KernelClass> only;           ///< only these classes; empty: all
  std::vector<std::string> not_evaluated;  ///< devices that are used for fitting but never left out

  [[nodiscard]] bool wants(KernelClass kernels) const {
    return only.empty() || std::find(only.begin(), only.end(), kernels) != only.end();
  }
};

/// The fit of one class (for nets: on one device), and the error on each device that was left out.
struct KernelFitReport {
  KernelClass kernels = KernelClass::none;
  std::string device;       ///< for nets; otherwise empty
  std::int64_t rows = 0;    ///< used for fitting
  HoldoutError test_error;  ///< error on the test tenth; with few rows, on each tenth in turn
  ErrorBand band{};         ///< error band of predictions, from kernels that were held out
  double inside = 0;        ///< share of these that are within the band of the others
  struct LeftOut {
    std::string device;
    HoldoutError test_error;
  };
  std::vector<LeftOut> left_out;
};

struct KernelFit {
  std::string file;  ///< for LearnedModel::read or NetModel::read
  std::vector<KernelFitReport> reports;
  std::size_t unlearned = 0;  ///< rows whose kernels have no class
};

inline constexpr std::int64_t kMinRows = 200;  ///< minimum number of rows for a fit

/// Fits each class (and device) with at least kMinRows rows of different kernels (can_hold_out). A
/// row with several kernels counts as each of them; its time is divided in proportion to the
/// heuristic's times. Devices are found in `silicons` by name. Uses one thread; deterministic.
/// Calls `on_done` after each class. Errc: usage (trees without XGBoost), input_mismatch (a device
/// is not described), input_range (times that seem to be in another unit), input_empty (too few
/// rows, or too few different kernels).
[[nodiscard]] Result<KernelFit> fit_kernel_models(
    const MeasuredRows& measured, std::span<const Silicon> silicons, const FitOptions& options,
    const std::function<void(const KernelFitReport&)>& on_done = {});

}  // namespace orrery::model
