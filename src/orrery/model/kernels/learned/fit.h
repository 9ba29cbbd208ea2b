// SPDX-License-Identifier: Apache-2.0
//
// Measured tables to a file of learned kernel times.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "orrery/model/kernels/learned/booster.h"
#include "orrery/model/kernels/learned/learned.h"
#include "orrery/model/kernels/learned/measured.h"

namespace orrery::model {

struct FitOptions {
  BoostOptions boost;                   ///< for devices that were measured
  BoostOptions general;                 ///< for others
  std::string notes;                    ///< sources and licences, at the head of the file
  bool leave_out = true;                ///< grow also without each device in turn, to know `unseen`
  std::vector<KernelClass> only;        ///< these classes; empty: all
  std::vector<std::string> not_judged;  ///< devices that are learned, but never left out
};

/// What came of one class, and of each device that was left out of it.
struct FitReport {
  KernelClass kernels = KernelClass::none;
  std::int64_t rows = 0;
  HeldBack seen;
  double inside = 0;  ///< share of the kernels held back last that their band holds
  struct LeftOut {
    std::string device;
    HeldBack held;
  };
  std::vector<LeftOut> left_out;
};

/// Which part of the work a measured row has; the same for all devices that measured these kernels.
/// Of ten parts, 0 is tested on, 1 sets the band, the others are grown on.
[[nodiscard]] int part_of(std::span<const graph::Kernel> row, std::uint64_t seed);

/// Grows trees for each class that has at least 200 rows. A row of several kernels counts as each
/// of them, its time shared as the heuristic does. Devices are found in `silicons` by name. One
/// thread, and the same bytes for the same input. Errc: usage (no XGBoost), input_mismatch (a
/// device that is not described), input_range (times that look like another unit), input_empty.
[[nodiscard]] Result<std::string> fit(const MeasuredKernels& measured,
                                      std::span<const Silicon> silicons, const FitOptions& options,
                                      const std::function<void(const FitReport&)>& report = {});

}  // namespace orrery::model
