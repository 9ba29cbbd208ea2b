// SPDX-License-Identifier: Apache-2.0
//
// Columns of a run against what SQLite reads from its file.
#include "orrery/result/run_file/run_columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

#include "orrery/result/random_run_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_file_testing.h"

namespace orrery::result {
namespace {

using testing::query;
using testing::RandomRun;
using testing::TemporaryFolder;

bool is_valid(const DataColumn& column, std::size_t row) {
  return !column.may_be_null || (column.valid[row / 8] >> row % 8 & 1) != 0;
}

std::string text_of(const DataColumn& column, std::size_t row) {
  if (!is_valid(column, row)) return "";
  if (column.type == ColumnType::integer) return std::to_string(column.integers[row]);
  const std::string text =
      column.texts.substr(static_cast<std::size_t>(column.offsets[row]),
                          static_cast<std::size_t>(column.offsets[row + 1] - column.offsets[row]));
  return text.substr(0, text.find('\0'));  // query() ends there
}

void expect_equal(const DataTable& table, const std::string& file) {
  for (const DataColumn& column : table.columns) {
    const auto rows = query(file, "SELECT \"" + std::string(column.name) + "\" FROM \"" +
                                      std::string(table.name) + "\" ORDER BY id");
    ASSERT_EQ(static_cast<std::size_t>(table.rows), rows.size()) << table.name;
    std::int64_t nulls = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      nulls += is_valid(column, row) ? 0 : 1;
      if (column.type != ColumnType::real) {
        EXPECT_EQ(text_of(column, row), rows[row]) << table.name << "." << column.name;
      } else if (is_valid(column, row)) {
        const double expected = std::strtod(rows[row].c_str(), nullptr);
        EXPECT_NEAR(column.reals[row], expected, 1e-13 * std::abs(expected)) << column.name;
      }
    }
    EXPECT_EQ(column.nulls, nulls) << table.name << "." << column.name;
  }
}

RC_GTEST_PROP(RunColumns, HoldWhatTheFileHolds, (std::uint64_t seed)) {
  const TemporaryFolder scratch;
  const Run run = RandomRun(seed).make();
  const std::string file = scratch / "a.orrery";
  RC_ASSERT(write_run(run, file, false).has_value());
  for (const std::string_view name : run_table_names()) {
    const auto table = run_table(run, name);
    RC_ASSERT(table.has_value());
    expect_equal(*table, file);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(RunColumns, RefuseUnknownTables) {
  const auto table = run_table({}, "spans");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().hint.find("span"), std::string::npos);
}

}  // namespace
}  // namespace orrery::result
