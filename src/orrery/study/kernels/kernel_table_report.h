// SPDX-License-Identifier: Apache-2.0
//
// Summary of a table of measured kernels: classes, ranges and errors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/model/kernels/table/measured_table.h"

namespace orrery::study {

struct KernelTableReport {
  /// One device, and its classes.
  struct Device {
    std::string name;
    model::Silicon silicon;  ///< described only if the catalog has it
    std::vector<model::MeasuredKernelClass> classes;
  };
  std::string where;
  std::size_t rows = 0, kernels = 0;  ///< over all devices
  std::vector<Device> devices;
  std::vector<Error> errors;  ///< implausible times
  Findings findings;
};

/// Reads a table, and compares it with the data sheets of its devices that are in the catalog.
/// `devices`: report only these; empty: all. Errc: those of model::read_measured; usage for a
/// device that is not in the table.
[[nodiscard]] Result<KernelTableReport> report_kernel_table(
    const std::string& path, const std::vector<std::string>& devices);
/// The same for rows in memory.
[[nodiscard]] Result<KernelTableReport> report_kernel_rows(const model::MeasuredRows& rows,
                                                           const std::vector<std::string>& devices);

}  // namespace orrery::study
