// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers in files: NumPy's arrays, and text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/indices/lookups.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace {

/// Whether a file that begins so is one of NumPy's arrays.
[[nodiscard]] bool is_npy(std::string_view head);

/// An array of whole numbers in one dimension. Source of the format: NumPy enhancement proposal 1.
/// Errc: input_corrupt, input_truncated, input_unsupported (other numbers, dimensions, versions),
/// input_range (below zero), limit_exceeded (more than kMostIndices).
[[nodiscard]] Result<std::vector<std::int64_t>> read_npy(Window& window, const std::string& where);

/// Text with a bag a line, or CSV: see read_lookups. Errc: input_corrupt, input_range,
/// input_unsupported (columns without `index`), limit_exceeded.
[[nodiscard]] Result<std::vector<TableLookups>> read_index_text(Window& window,
                                                                const std::string& where);

}  // namespace orrery::trace
