// SPDX-License-Identifier: Apache-2.0
//
// Builds a table of measured kernels for simulations from tables and recordings.
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

/// The command-line arguments.
struct ComputeCalibrationQuestion {
  std::vector<std::string>
      /// Tables (model/kernels/table/table_file.h) and recordings, in any order.
      files;
  std::string device;   ///< device of all recordings (catalog name); empty: as recorded
  std::string devices;  ///< a file of devices that the catalog lacks; empty: none
  std::string date;     ///< date of the measurement; empty: as recorded
  std::function<void(std::uint32_t done, std::uint32_t of)>
      progress;  ///< called after each rank that is read
};

struct ComputeCalibration {
  std::string table;         ///< content for `--kernel-table` and `device: {kernel_table: …}`
  KernelTableReport report;  ///< its classes, with the errors of held-out kernels
  KernelTables kernels;  ///< each distinct kernel of each device; order of `silicons` unspecified
  std::string notes;     ///< header of the table: date and files, one per line
  std::vector<SourceFile> files;
  std::string date;                       ///< may be empty
  std::uint64_t recorded = 0;             ///< compute kernels of recordings …
  std::uint64_t known = 0;                ///< … with known operator shapes …
  std::uint64_t overlapped = 0;           ///< … excluded because they overlap communication
  std::set<std::string> unknown_devices;  ///< recorded devices that are not in the catalog
  Findings findings;
};

/// Returns one row per device and distinct kernel, with the median of its times. Equal files give
/// equal bytes. Errc: usage (an invalid device or date), input_empty (no kernel of a known device),
/// those of read_kernel_tables and of reading recordings.
[[nodiscard]] Result<ComputeCalibration> calibrate_compute(
    const ComputeCalibrationQuestion& question, Findings& findings);

}  // namespace orrery::study
