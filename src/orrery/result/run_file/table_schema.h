// SPDX-License-Identifier: Apache-2.0
//
// The tables and views of a run file. The writer, the reader and the page
// docs/reference/run-file.md all derive from these declarations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::result {

/// PRAGMA application_id of a run file ("Orry").
inline constexpr std::uint32_t kApplicationId = 0x4f727279;

struct Column {
  std::string_view name;
  std::string_view declaration;  ///< as in CREATE TABLE; for a view: its expression
  std::string_view meaning;
};

/// The first column of each table is `id`, the row number from 0.
struct Table {
  std::string_view name;
  std::string_view meaning;
  std::vector<Column> columns;
};

struct View {
  std::string_view name;
  std::string_view meaning;
  std::vector<Column> columns;
  std::string_view from;  ///< the part of its SELECT that follows the columns
};

/// A column of which a repetition differs from the one before by a constant: a column of the part,
/// or of the stored row.
struct SteppedColumn {
  std::string_view column;
  std::string_view step;
  bool in_part = false;
};

/// How files store a table whose rows repeat: consecutive rows form a part, of which the file
/// contains the first period (see RowPart).
struct PartedTable {
  std::string_view name;    ///< a view with all rows
  std::string_view parts;   ///< columns: id (first row), rows, period, first stored row, others
  std::string_view stored;  ///< the rows of all first periods
  std::vector<SteppedColumn> steps;
};

/// The tables as queries see them, in the order in which they are written and read.
[[nodiscard]] const std::vector<Table>& tables();
[[nodiscard]] const std::vector<View>& views();

/// The tables that a file contains: as tables(), but with the tables of parted_tables() instead of
/// those that they store.
[[nodiscard]] const std::vector<Table>& stored_tables();
[[nodiscard]] const std::vector<PartedTable>& parted_tables();
/// How files store the table; null if as it is.
[[nodiscard]] const PartedTable* find_parted(std::string_view name);

/// The table with this name, which must exist in tables() or stored_tables().
[[nodiscard]] const Table& table(std::string_view name);

/// Whether the column is computed from others and not stored.
[[nodiscard]] bool generated(const Column& column);

/// The statement that creates it, exactly as in each run file.
[[nodiscard]] std::string create_sql(const Table& table);
[[nodiscard]] std::string create_sql(const View& view);

/// The text of docs/reference/run-file.md.
[[nodiscard]] std::string run_file_reference();

}  // namespace orrery::result
