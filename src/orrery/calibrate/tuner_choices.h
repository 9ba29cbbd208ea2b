// SPDX-License-Identifier: Apache-2.0
//
// What NCCL should run, as a tuner's file says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/calibrate/network_calibration.h"
#include "orrery/model/collective/nccl/tuner_file.h"

namespace orrery::calibrate {

/// One collective among one group.
struct TunerChoices {
  std::string name;  ///< of its curve
  std::string by;    ///< "measured" or "cost model"
  std::vector<model::nccl::TunerLine> lines;
  std::int64_t sizes = 0;  ///< at which something was chosen
  std::int64_t agree = 0;  ///< of these, where the cost model would have chosen the same
  /// Of the others where the model's choice was measured, too: its time / the fastest - 1, median.
  double gain = 0;
};

/// What a tuner's file says, and of what it says nothing.
struct TunerExport {
  std::vector<TunerChoices> choices;
  std::vector<std::string> skipped_groups;  ///< groups of which a tuner's file can say nothing
  /// All lines, with remarks.
  [[nodiscard]] std::string text() const;
};

/// As NCCL_ALGO takes it: "nvlstree".
[[nodiscard]] std::string setting_name(model::nccl::Algorithm algorithm);

/// For each size of each curve the fastest of at least two algorithms and protocols that were
/// measured with NCCL_ALGO and NCCL_PROTO set to one each, else what NCCL's cost model chooses on
/// the maker's machine. Sizes between two belong to the nearer one (in logarithms), those beyond
/// the first and last to these. Channels are those of the cost model, which a file has to say
/// (tuner_file.h). Errc: usage (a device that is not in the catalogue), input_empty (nothing that a
/// tuner chooses).
[[nodiscard]] Result<TunerExport> tuner_choices(const NetworkCalibration& calibration);

}  // namespace orrery::calibrate
