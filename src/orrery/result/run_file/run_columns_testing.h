// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "orrery/result/run_file/run_columns.h"
#include "orrery/result/run_file/run_file_testing.h"

namespace orrery::result::testing {

inline bool is_valid(const DataColumn& column, std::size_t row) {
  return !column.may_be_null || (column.valid[row / 8] >> row % 8 & 1) != 0;
}

inline std::string text_of(const DataColumn& column, std::size_t row) {
  if (!is_valid(column, row)) return "";
  if (column.type == ColumnType::integer) return std::to_string(column.integers[row]);
  const std::string text =
      column.texts.substr(static_cast<std::size_t>(column.offsets[row]),
                          static_cast<std::size_t>(column.offsets[row + 1] - column.offsets[row]));
  return text.substr(0, text.find('\0'));  // query() ends there
}

/// Compares a table of a run with what SQLite reads from its file: those rows that `where` leaves.
inline void expect_equal(const DataTable& table, const std::string& file,
                         const std::string& where = " ORDER BY id") {
  std::string columns;
  for (const DataColumn& column : table.columns)
    columns += (columns.empty() ? "\"" : ", \"") + std::string(column.name) + "\"";
  const auto rows =
      query_cells(file, "SELECT " + columns + " FROM \"" + std::string(table.name) + "\"" + where);
  ASSERT_EQ(static_cast<std::size_t>(table.rows), rows.size()) << table.name;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const DataColumn& column = table.columns[i];
    std::int64_t nulls = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      nulls += is_valid(column, row) ? 0 : 1;
      const std::string& cell = rows[row][i];
      if (column.type != ColumnType::real) {
        if (text_of(column, row) != cell)
          ADD_FAILURE() << table.name << " row " << row << ", " << column.name << ": " << cell;
      } else if (is_valid(column, row)) {
        const double expected = std::strtod(cell.c_str(), nullptr);
        EXPECT_NEAR(column.reals[row], expected, 1e-13 * std::abs(expected)) << column.name;
      }
    }
    EXPECT_EQ(column.nulls, nulls) << table.name << "." << column.name;
  }
}

}  // namespace orrery::result::testing
