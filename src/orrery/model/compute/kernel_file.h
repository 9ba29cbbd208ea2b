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

/// A file's text, and for what it is read.
struct KernelFileText {
  const std::string& text;
  const std::string& path;
  std::string place;                         ///< the key or option that names it
  const platform::Device* device = nullptr;  ///< that the model must know; null: any device
};

struct KernelFileContent {
  std::shared_ptr<const KernelModel> model;
  std::string about;  ///< "1,204 kernels", "trees of 3 classes"
};

/// Reads the file of the model `source`, which must have one. Errc: those of parse_measured,
/// check_measured, read_fitted_model or parse_systolic_config; config_conflict for a table without
/// the device; config_missing_key for an array whose clock is not known.
[[nodiscard]] Result<KernelFileContent> read_kernel_file(TimeSource source,
                                                         const KernelFileText& file,
                                                         Findings& findings);

// One reader per kind of file; kernel_models.cc registers them.
[[nodiscard]] Result<KernelFileContent> read_table(const KernelFileText& file, Findings& findings);
[[nodiscard]] Result<KernelFileContent> read_fitted(const KernelFileText& file, Findings& findings);
[[nodiscard]] Result<KernelFileContent> read_systolic(const KernelFileText& file,
                                                      Findings& findings);

}  // namespace orrery::model
