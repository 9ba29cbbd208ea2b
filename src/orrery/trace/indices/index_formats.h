// SPDX-License-Identifier: Apache-2.0
//
// Reads integers from NumPy arrays and text files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/indices/lookups.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace {

/// True if a file that begins with `head` is a NumPy array.
[[nodiscard]] bool is_npy(std::string_view head);

/// Reads a one-dimensional integer array. Source of the format: NumPy enhancement proposal 1. Errc:
/// input_corrupt, input_truncated, input_unsupported (other types, dimensions, versions),
/// input_range (negative), limit_exceeded (more than kMaximumIndices).
[[nodiscard]] Result<std::vector<std::int64_t>> read_npy(Window& window, const std::string& where);

/// Reads text with one bag per line, or CSV; see read_lookups. Errc: input_corrupt, input_range,
/// input_unsupported (columns without `index`), limit_exceeded.
[[nodiscard]] Result<std::vector<TableLookups>> read_index_text(Window& window,
                                                                const std::string& where);

}  // namespace orrery::trace
