// SPDX-License-Identifier: Apache-2.0
//
// The tables of a run (docs/reference/run-file.md) as columns in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::result {

enum class ColumnType : std::uint8_t { integer, real, text };

/// One column. Only the vector of its type has values, one per row.
struct DataColumn {
  std::string_view name;
  ColumnType type = ColumnType::integer;
  bool may_be_null = false;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  /// Row i is from texts[offsets[i]] up to texts[offsets[i + 1]].
  std::vector<std::int64_t> offsets;
  std::string texts;
  std::vector<std::uint8_t> valid;  ///< bit i % 8 of byte i / 8: row i is not NULL
  std::int64_t nulls = 0;
};

struct DataTable {
  std::string_view name;
  std::int64_t rows = 0;
  std::vector<DataColumn> columns;
};

/// The names of all tables, in the order of the run file.
[[nodiscard]] std::vector<std::string_view> run_table_names();

/// One table of the run. O(rows). Errc: usage: no table has this name.
[[nodiscard]] Result<DataTable> run_table(const Run& run, std::string_view name);

}  // namespace orrery::result
