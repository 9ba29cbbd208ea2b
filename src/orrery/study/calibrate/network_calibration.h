// SPDX-License-Identifier: Apache-2.0
//
// What benchmarks measured of one's own network, as a file that clusters take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/calibrate/network_calibration.h"
#include "orrery/calibrate/tuner_choices.h"

namespace orrery::study {

/// As it was typed.
struct NetworkCalibrationQuestion {
  std::vector<std::string> files;
  std::string device;                 ///< of the catalogue, where files do not say one
  std::string collective;             ///< where files do not say it
  std::int64_t ranks = 0, nodes = 0;  ///< likewise; 0: not given
  std::string date;                   ///< of the measurement; empty: as the files say
  bool tuner = false;                 ///< also what NCCL should choose
};

struct NetworkCalibrationAnswer {
  calibrate::NetworkCalibration calibration;
  std::optional<calibrate::TunerExport> tuner;
  std::string file;  ///< what a cluster file includes by `collectives: {curves: …}`
  Findings findings;
};

/// The same files give the same bytes. Errc: usage (a date that is none), those of
/// calibrate::read_measurements, calibrate_network and tuner_choices.
[[nodiscard]] Result<NetworkCalibrationAnswer> calibrate_network(
    const NetworkCalibrationQuestion& question, Findings& findings);

}  // namespace orrery::study
