// SPDX-License-Identifier: Apache-2.0
//
// Lookups that somebody measured, as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/learned/lookup_net.h"

namespace orrery::model {

/// Columns in any order, named in the first line: `lookup` (a name; lines that follow one another
/// with the same name are tables of one lookup), `device`, `pass` (forward or backward), `us` (of
/// the whole lookup, the same in all its lines), `batch`, `rows`, `pooling`, `features` and perhaps
/// `reuse`: 17 shares between blanks, or nothing where indices are even. Lines that begin with #
/// are passed over. Errc: input_corrupt, input_range, input_empty, input_missing_attr (a column),
/// limit_exceeded.
[[nodiscard]] Result<std::vector<MeasuredLookup>> read_lookup_rows(std::string_view text,
                                                                   const std::string& where);

/// Such a file.
[[nodiscard]] std::string write_lookup_rows(std::span<const MeasuredLookup> lookups);

inline constexpr std::size_t kMaxLookupRows = 1u << 20;

}  // namespace orrery::model
