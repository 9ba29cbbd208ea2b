// SPDX-License-Identifier: Apache-2.0
//
// Measured lookups, as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/learned/lookup_net.h"

namespace orrery::model {

/// Columns in any order, named in the first line: `lookup` (a name; consecutive lines with the same
/// name are tables of one lookup), `device`, `pass` (forward or backward), `us` (time of the
/// complete lookup, equal in all its lines), `batch`, `rows`, `pooling`, `features` and optionally
/// `reuse`: 17 shares separated by blanks, or empty if indices are uniform. Lines that start with #
/// are skipped. Errc: input_corrupt, input_range, input_empty, input_missing_attr (a column),
/// limit_exceeded.
[[nodiscard]] Result<std::vector<MeasuredLookup>> read_lookup_rows(std::string_view text,
                                                                   const std::string& where);

/// The lookups as such a file.
[[nodiscard]] std::string write_lookup_rows(std::span<const MeasuredLookup> lookups);

inline constexpr std::size_t kMaxLookupRows = 1u << 20;

}  // namespace orrery::model
