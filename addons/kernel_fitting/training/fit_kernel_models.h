// SPDX-License-Identifier: Apache-2.0
//
// Measured tables to a file of fitted kernel times.
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

/// What learns.
enum class Learner : std::uint8_t {
  trees,  ///< boosted, one set for a class on all devices; grown by XGBoost
  nets,   ///< one for each device and class, knowing sizes alone (Lin et al.)
};

/// Few leaves: what all devices have in common.
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
  BoosterOptions boost;  ///< trees for devices that were measured; twice the leaves for
                         ///< experts, whose seven sizes make nearly as many curves as rows
  BoosterOptions general = general_boost_options();  ///< … for others
  NetOptions net;                                    ///< nets
  std::string notes;                       ///< sources and licences, at the head of the file
  bool leave_out = true;                   ///< trees: grow also without each device in turn
  std::vector<KernelClass> only;           ///< these classes; empty: all
  std::vector<std::string> not_evaluated;  ///< devices that are learned, but never left out

  [[nodiscard]] bool wants(KernelClass kernels) const {
    return only.empty() || std::find(only.begin(), only.end(), kernels) != only.end();
  }
};

/// What came of one class (of nets: on one device), and of each device that was left out of it.
struct KernelFitReport {
  KernelClass kernels = KernelClass::none;
  std::string device;     ///< of nets; else empty
  std::int64_t rows = 0;  ///< learned
  HoldoutError seen;      ///< the tenth that was never looked at; of few rows each tenth in turn
  ErrorBand band{};       ///< of answers, from kernels held back before
  double inside = 0;      ///< share of these that bands from the others hold
  struct LeftOut {
    std::string device;
    HoldoutError held;
  };
  std::vector<LeftOut> left_out;
};

struct KernelFit {
  std::string file;  ///< what LearnedModel::read or NetModel::read reads
  std::vector<KernelFitReport> reports;
  std::size_t unlearned = 0;  ///< rows of kernels that have no class
};

inline constexpr std::int64_t kMinRows = 200;  ///< of what is fitted

/// Fits each class (and device) that has kMinRows rows of different kernels (can_hold_back). A
/// row of several kernels counts as each of them, its time shared as the heuristic does. Devices
/// are found in `silicons` by name. One thread, and the same bytes for the same input. `on_class`
/// hears of each class when it is done. Errc: usage (trees without XGBoost), input_mismatch (a
/// device that is not described), input_range (times that look like another unit), input_empty (too
/// few rows, or too few different kernels).
[[nodiscard]] Result<KernelFit> fit_kernel_models(
    const MeasuredRows& measured, std::span<const Silicon> silicons, const FitOptions& options,
    const std::function<void(const KernelFitReport&)>& on_done = {});

}  // namespace orrery::model
