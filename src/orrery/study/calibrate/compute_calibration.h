// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels of the user, as a table that simulations take.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "orrery/study/calibrate/calibration_sources.h"
#include "orrery/study/kernels/kernel_table_report.h"
#include "orrery/study/kernels/kernel_tables.h"

namespace orrery::study {

/// As it was typed.
struct ComputeCalibrationQuestion {
  std::vector<std::string>
      files;            ///< tables (model/kernels/table/table_file.h) and recordings, mixed
  std::string device;   ///< of the catalogue, of all recordings; empty: as they say
  std::string devices;  ///< a file of devices that the catalogue lacks; empty: none
  std::string date;     ///< of the measurement; empty: as recordings say
  std::function<void(std::uint32_t done, std::uint32_t of)> progress;  ///< ranks read
};

struct ComputeCalibration {
  std::string table;         ///< what `--kernel-table` and `device: {kernel_table: …}` take
  KernelTableReport report;  ///< of its classes, with the errors of kernels left out
  KernelTables kernels;      ///< each different kernel of each device; silicons in any order
  std::string notes;         ///< date and files, a line each: the head of the table
  std::vector<SourceFile> files;
  std::string date;                       ///< may be empty
  std::uint64_t recorded = 0;             ///< kernels of recordings that compute …
  std::uint64_t known = 0;                ///< … whose operators' shapes say what …
  std::uint64_t overlapped = 0;           ///< … of these left out: communication ran beside them
  std::set<std::string> unknown_devices;  ///< devices that nobody knows
  Findings findings;
};

/// A row for each different kernel of each device: the median of its times. The same files give the
/// same bytes. Errc: usage (a device or date that is none), input_empty (no kernel of a known
/// device), those of read_kernel_tables and of reading recordings.
[[nodiscard]] Result<ComputeCalibration> calibrate_compute(
    const ComputeCalibrationQuestion& question, Findings& findings);

}  // namespace orrery::study
