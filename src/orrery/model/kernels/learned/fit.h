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

#include "orrery/model/kernels/learned/booster.h"
#include "orrery/model/kernels/learned/learned.h"
#include "orrery/model/kernels/learned/net_training.h"
#include "orrery/model/kernels/measured_rows.h"

namespace orrery::model {

/// What learns.
enum class Learner : std::uint8_t {
  trees,  ///< boosted, one set for a class on all devices; grown by XGBoost
  nets,   ///< one for each device and class, knowing sizes alone (Lin et al.)
};

/// Few leaves: what all devices have in common.
[[nodiscard]] inline BoostOptions for_any_device() {
  BoostOptions options;
  options.rounds = 100;
  options.leaves = 16;
  options.depth = 5;
  return options;
}

struct FitOptions {
  Learner by = Learner::trees;
  std::uint64_t seed = 1;
  BoostOptions boost;  ///< trees for devices that were measured; twice the leaves for
                       ///< experts, whose seven sizes make nearly as many curves as rows
  BoostOptions general = for_any_device();  ///< … for others
  NetOptions net;                           ///< nets
  std::string notes;                        ///< sources and licences, at the head of the file
  bool leave_out = true;                    ///< trees: grow also without each device in turn
  std::vector<KernelClass> only;            ///< these classes; empty: all
  std::vector<std::string> not_judged;      ///< devices that are learned, but never left out

  [[nodiscard]] bool wants(KernelClass kernels) const {
    return only.empty() || std::find(only.begin(), only.end(), kernels) != only.end();
  }
};

/// What came of one class (of nets: on one device), and of each device that was left out of it.
struct FitReport {
  KernelClass kernels = KernelClass::none;
  std::string device;     ///< of nets; else empty
  std::int64_t rows = 0;  ///< learned
  HeldBack seen;          ///< the tenth that was never looked at; of few rows each tenth in turn
  ErrorBand band{};       ///< of answers, from kernels held back before
  double inside = 0;      ///< share of these that bands from the others hold
  struct LeftOut {
    std::string device;
    HeldBack held;
  };
  std::vector<LeftOut> left_out;
};

struct Fit {
  std::string file;  ///< what LearnedModel::read or NetModel::read reads
  std::vector<FitReport> reports;
  std::size_t unlearned = 0;  ///< rows of kernels that have no class
};

inline constexpr std::int64_t kLeastRows = 200;  ///< of what is fitted

/// Fits each class (and device) that has kLeastRows rows of different kernels (can_hold_back). A
/// row of several kernels counts as each of them, its time shared as the heuristic does. Devices
/// are found in `silicons` by name. One thread, and the same bytes for the same input. `told` hears
/// of each class when it is done. Errc: usage (trees without XGBoost), input_mismatch (a device
/// that is not described), input_range (times that look like another unit), input_empty (too few
/// rows, or too few different kernels).
[[nodiscard]] Result<Fit> fit(const MeasuredRows& measured, std::span<const Silicon> silicons,
                              const FitOptions& options,
                              const std::function<void(const FitReport&)>& told = {});

}  // namespace orrery::model
