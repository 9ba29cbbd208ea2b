// SPDX-License-Identifier: Apache-2.0
//
// Tables of measured kernels beside the data sheets of what they were measured on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/measured_rows.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::study {

struct KernelTables {
  model::MeasuredRows rows;              ///< of all tables, one behind the other
  std::vector<model::Silicon> silicons;  ///< by number of the rows' devices, which have their names
};

/// Reads tables and finds what data sheets say of their devices: in the file `devices`
/// (model::read_silicons), if there is one, else in the catalogue; `H100_SXM` is h100-sxm. Errc:
/// those of model::read_measured and read_silicons; input_mismatch for a device that nobody
/// describes; input_range for times that cannot be.
[[nodiscard]] Result<KernelTables> read_kernel_tables(const std::vector<std::string>& tables,
                                                      const std::string& devices,
                                                      Findings& findings);

/// As catalogues write names: "H100_SXM" is h100-sxm.
[[nodiscard]] std::string catalogue_name(std::string name);

}  // namespace orrery::study
