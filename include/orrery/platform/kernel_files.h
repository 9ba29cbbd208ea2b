// SPDX-License-Identifier: Apache-2.0
//
// Files that models of kernel times answer from.
#pragma once

#include <string>

namespace orrery::platform {

/// One member for each model that needs a file; platform/kernel_file_table.h has a row for each.
template <class Path>
struct KernelFilesOf {
  Path kernel_table{};  ///< measured kernels
  Path kernel_model{};  ///< that `orrery kernels fit` wrote
  Path systolic{};      ///< a systolic array, as SCALE-Sim's configuration

  friend bool operator==(const KernelFilesOf&, const KernelFilesOf&) = default;
};
/// Paths as the user wrote them; empty: none.
using KernelFiles = KernelFilesOf<std::string>;

}  // namespace orrery::platform
