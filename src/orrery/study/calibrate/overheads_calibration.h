// SPDX-License-Identifier: Apache-2.0
//
// What a host takes to launch kernels, from recordings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/profile/host/host_overheads.h"
#include "orrery/study/calibrate/calibration_sources.h"

namespace orrery::study {

/// As it was typed.
struct OverheadsCalibrationQuestion {
  std::vector<std::string> files;
  std::string device;  ///< of the catalogue, where recordings name none that is; empty: as they say
  std::string date;    ///< of the measurement; empty: as recordings say
  std::function<void(std::uint32_t done, std::uint32_t of)> progress;  ///< ranks read
};

struct OverheadsCalibration {
  std::string device;  ///< of the catalogue, or as recorded; may be empty
  std::string driver;  ///< as recorded; may be empty
  std::string date;    ///< may be empty
  std::vector<SourceFile> files;
  std::uint64_t ranks = 0, operators = 0, waiting = 0;
  profile::TimeSpread launch;  ///< of all passes
  profile::TimeSpread forward, backward, optimizer;
  profile::TimeSpread latency, gap;
  std::vector<profile::OverheadRow> rows;
  std::string file;  ///< YAML
  Findings findings;
};

/// The same files give the same bytes. Errc: usage (a date that is none, an unknown device),
/// input_mismatch (recordings of several kinds of devices), input_empty (nothing was launched),
/// those of reading recordings.
[[nodiscard]] Result<OverheadsCalibration> calibrate_overheads(
    const OverheadsCalibrationQuestion& question, Findings& findings);

}  // namespace orrery::study
