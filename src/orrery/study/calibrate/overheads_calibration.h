// SPDX-License-Identifier: Apache-2.0
//
// Measures host overheads of kernel launches in recordings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/profile/host/host_overheads.h"
#include "orrery/study/calibrate/calibration_sources.h"

namespace orrery::study {

/// The command-line arguments.
struct OverheadsCalibrationQuestion {
  std::vector<std::string> files;
  /// Device of the catalog, instead of the one in the recordings; empty: the recorded one.
  std::string device;
  std::string date;  ///< date of the measurement; empty: as recorded
  std::function<void(std::uint32_t done, std::uint32_t of)>
      progress;  ///< called after each rank that is read
};

struct OverheadsCalibration {
  std::string device;  ///< name in the catalog, else as recorded; may be empty
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

/// Measures overheads in recordings. Equal files give equal bytes. Errc: usage (an invalid date, an
/// unknown device), input_mismatch (recordings of several kinds of devices), input_empty (no
/// operator launches work), those of reading recordings.
[[nodiscard]] Result<OverheadsCalibration> calibrate_overheads(
    const OverheadsCalibrationQuestion& question, Findings& findings);

}  // namespace orrery::study
