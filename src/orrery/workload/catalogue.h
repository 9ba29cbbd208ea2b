// SPDX-License-Identifier: Apache-2.0
//
// Models by name, each with its source and the number of weights its authors print.
#pragma once

#include <span>
#include <string_view>

#include "orrery/workload/model.h"

namespace orrery::workload {

struct ModelEntry {
  std::string_view name;          ///< "llama-3.1-70b"
  std::string_view title;         ///< "Llama 3.1 70B"
  std::int64_t seq;               ///< training context
  std::string_view published;     ///< as printed: "70.6B", "8,030,261,248"
  std::string_view source;        ///< of the shape
  std::string_view count_source;  ///< of the count
  Model (*model)();
};

/// In alphabetical order.
[[nodiscard]] std::span<const ModelEntry> models();
[[nodiscard]] const ModelEntry* find_model(std::string_view name);
/// docs/reference/models.md
[[nodiscard]] std::string models_reference();

}  // namespace orrery::workload
