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

/// In the order in which they are written and read.
[[nodiscard]] const std::vector<Table>& tables();
[[nodiscard]] const std::vector<View>& views();

/// The table with this name, which must exist.
[[nodiscard]] const Table& table(std::string_view name);

/// Whether the column is computed from others and not stored.
[[nodiscard]] bool generated(const Column& column);

/// The statement that creates it, exactly as in each run file.
[[nodiscard]] std::string create_sql(const Table& table);
[[nodiscard]] std::string create_sql(const View& view);

/// The text of docs/reference/run-file.md.
[[nodiscard]] std::string run_file_reference();

}  // namespace orrery::result
