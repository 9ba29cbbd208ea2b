// SPDX-License-Identifier: Apache-2.0
//
// Models of kernel times that are read from files (core/models/time_source_table.h).
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The text of a file, and the context in which it is read.
struct KernelFileText {
  const std::string& text;
  const std::string& path;
  std::string place;                         ///< key or option that specifies the file
  const platform::Device* device = nullptr;  ///< device that the model must contain; null: any
};

struct KernelFileContent {
  std::shared_ptr<const KernelModel> model;
  std::string about;  ///< "1,204 kernels", "trees of 3 classes"
};

/// Reads the file of the model `source`, which must have a reader. Errc: those of parse_measured,
/// check_measured, read_fitted_model or parse_systolic_config; config_conflict for a table without
/// the device; config_missing_key for an array with unknown clock.
[[nodiscard]] Result<KernelFileContent> read_kernel_file(TimeSource source,
                                                         const KernelFileText& file,
                                                         Findings& findings);

// One reader per kind of file; kernel_models.cc registers them.
[[nodiscard]] Result<KernelFileContent> read_table(const KernelFileText& file, Findings& findings);
[[nodiscard]] Result<KernelFileContent> read_fitted(const KernelFileText& file, Findings& findings);
[[nodiscard]] Result<KernelFileContent> read_systolic(const KernelFileText& file,
                                                      Findings& findings);

}  // namespace orrery::model
