// SPDX-License-Identifier: Apache-2.0
//
// Converts collective benchmarks of the user's network to a file of measured curves for clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/calibrate/network_calibration.h"
#include "orrery/calibrate/tuner_choices.h"

namespace orrery::study {

/// The command-line arguments.
struct NetworkCalibrationQuestion {
  std::vector<std::string> files;
  std::string device;                 ///< catalog name, if the files do not state one
  std::string collective;             ///< if the files do not state it
  std::int64_t ranks = 0, nodes = 0;  ///< if the files do not state them; 0: not given
  std::string date;                   ///< date of the measurement; empty: as in the files
  bool tuner = false;                 ///< also write a tuner file for NCCL
};

struct NetworkCalibrationAnswer {
  calibrate::NetworkCalibration calibration;
  std::optional<calibrate::TunerExport> tuner;
  std::string file;  ///< content for `collectives: {curves: …}` in a cluster file
  Findings findings;
};

/// Equal files give equal bytes. Errc: usage (an invalid date), those of
/// calibrate::read_measurements, calibrate_network and tuner_choices.
[[nodiscard]] Result<NetworkCalibrationAnswer> calibrate_network(
    const NetworkCalibrationQuestion& question, Findings& findings);

}  // namespace orrery::study
