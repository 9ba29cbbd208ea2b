// SPDX-License-Identifier: Apache-2.0
//
// Tables of measured kernels with the data sheets of their devices.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/measured_rows.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::study {

struct KernelTables {
  model::MeasuredRows rows;              ///< rows of all tables, concatenated
  std::vector<model::Silicon> silicons;  ///< one per device of `rows`, with its name
};

/// Reads tables, and the data sheets of their devices from the file `devices`
/// (model::read_silicons), or from the catalog if it is empty; `H100_SXM` is h100-sxm. Errc:
/// those of model::read_measured and read_silicons; input_mismatch for a device without a
/// description; input_range for implausible times.
[[nodiscard]] Result<KernelTables> read_kernel_tables(const std::vector<std::string>& tables,
                                                      const std::string& devices,
                                                      Findings& findings);

/// The catalog form of a name: "H100_SXM" is h100-sxm.
[[nodiscard]] std::string catalog_name(std::string name);

}  // namespace orrery::study
