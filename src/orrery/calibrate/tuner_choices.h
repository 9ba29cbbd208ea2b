// SPDX-License-Identifier: Apache-2.0
//
// Choices of algorithm and protocol for NCCL, as the file of a tuner plug-in contains them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/calibrate/network_calibration.h"
#include "orrery/model/collective/nccl/tuner_file.h"

namespace orrery::calibrate {

/// The choices for one collective in one group.
struct TunerChoices {
  std::string name;   ///< name of its curve
  std::string basis;  ///< "measured" or "cost model"
  std::vector<model::nccl::TunerLine> lines;
  std::int64_t sizes = 0;  ///< number of sizes with a choice
  std::int64_t agree = 0;  ///< of these, sizes at which NCCL's cost model makes the same choice
  /// Median of (time of the cost model's choice / shortest time - 1), over sizes at which the cost
  /// model's choice was measured and is slower.
  double median_speedup = 0;
};

/// The choices of a tuner file, and the groups without choices.
struct TunerExport {
  std::vector<TunerChoices> choices;
  std::vector<std::string> skipped_groups;  ///< groups for which a tuner file has no lines
  /// The text of the file, with comments.
  [[nodiscard]] std::string text() const;
};

/// Chooses an algorithm and a protocol for each size of each curve. The choice is the fastest
/// measured pair if at least two pairs were measured, each with one value of NCCL_ALGO and one of
/// NCCL_PROTO. Otherwise it is the choice of NCCL's cost model on the maker's machine.
///
/// A size between two measured sizes uses the choice of the nearer one (in logarithms); a size
/// outside all uses the first or the last. The number of channels, which a file must contain
/// (tuner_file.h), is that of the cost model. Errc: usage (a device that is not in the catalog),
/// input_empty (no collective that a tuner chooses for).
[[nodiscard]] Result<TunerExport> tuner_choices(const NetworkCalibration& calibration);

}  // namespace orrery::calibrate
