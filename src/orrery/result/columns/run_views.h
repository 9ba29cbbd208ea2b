// SPDX-License-Identifier: Apache-2.0
//
// The views of a run file that explain its nodes (docs/reference/run-file.md), as columns in
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"
#include "orrery/result/run_file/run_columns.h"

namespace orrery::result {

/// The names of the views that run_view() builds: "event" and "critical_path".
[[nodiscard]] std::vector<std::string_view> run_view_names();

/// One of them, with the columns and rows that SQLite reads from the run file. `rank`: only rows of
/// this rank; empty: of all ranks. O(rows). Errc: usage: there is no such view or no such rank.
[[nodiscard]] Result<DataTable> run_view(const Run& run, std::string_view name,
                                         std::optional<std::uint32_t> rank);

}  // namespace orrery::result
