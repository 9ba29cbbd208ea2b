// SPDX-License-Identifier: Apache-2.0
//
// The nearest plan that fits, for those who watch the search.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/workload/memory/memory_report.h"

namespace orrery::workload {

/// Told how many changes were tried, of how many at most.
using FitProgress = std::function<void(std::uint64_t tried, std::uint64_t of)>;

/// find_fitting_changes of memory.h, with a word on how far it is.
[[nodiscard]] Result<std::vector<FittingChange>> find_fitting_changes(const Spec& spec,
                                                                      std::int64_t capacity,
                                                                      std::size_t most,
                                                                      const MemoryOptions& options,
                                                                      const FitProgress& progress);

}  // namespace orrery::workload
