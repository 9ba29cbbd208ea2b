// SPDX-License-Identifier: Apache-2.0
//
// Opens a rocpd database, as an untrusted file, and lists its sets of tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/sqlite/table_rows.h"

namespace orrery::trace::rocpd {

using sqlite::Database;
using sqlite::Rows;

/// True if the file is an SQLite database with one of rocpd's tables, even if it is cut off.
[[nodiscard]] bool has_rocpd_tables(const std::string& path);

/// Opens a database. Errc: as sqlite::Database::open.
[[nodiscard]] Result<Database> open_database(const std::string& path);
/// Opens a database from its bytes, which must outlive it.
[[nodiscard]] Result<Database> open_database(std::span<const std::byte> bytes, std::string where);

/// Suffixes of table names, "_0000…", one per process that wrote tables. Ascending.
[[nodiscard]] std::vector<std::string> suffixes_of(const Database& database);

/// Integers of a table by its column "id"; of rows with the same id the first counts.
class IntegerTable {
 public:
  static constexpr std::size_t kMaxColumns = 5;
  using Row = std::array<std::optional<std::int64_t>, kMaxColumns>;

  /// Reads the table and replaces the contents; empty if the table is missing. Errc: as Rows::next.
  Result<void> read(Database& database, std::string_view table,
                    std::span<const std::string_view> columns);
  /// The values in the order of the columns; all empty without an id or for an unknown id.
  [[nodiscard]] Row find(std::optional<std::int64_t> id) const;
  /// True if the column contains a number above 0.
  [[nodiscard]] bool any_positive(std::size_t column) const;

 private:
  std::size_t width_ = 0;                                    // values per row, with its id
  std::vector<std::int64_t> values_;                         // row by row
  std::vector<std::pair<std::int64_t, std::size_t>> order_;  // (id, row), if ids do not ascend
};

}  // namespace orrery::trace::rocpd
