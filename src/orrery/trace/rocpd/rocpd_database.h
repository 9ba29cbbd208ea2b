// SPDX-License-Identifier: Apache-2.0
//
// A rocpd database that anybody may have made, and its sets of tables.
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

/// True if the file is an SQLite database with one of rocpd's tables, be it cut off. False for
/// anything else.
[[nodiscard]] bool has_rocpd_tables(const std::string& path);

/// Opens one. Errc: as sqlite::Database::open.
[[nodiscard]] Result<Database> open_database(const std::string& path);
/// The same from its bytes, which must outlive it.
[[nodiscard]] Result<Database> open_database(std::span<const std::byte> bytes, std::string where);

/// What stands behind the tables' names, "_0000…": one per process that wrote. Ascending.
[[nodiscard]] std::vector<std::string> suffixes_of(const Database& database);

/// Whole numbers of a table by its column "id"; the first row of an id counts.
class IntegerTable {
 public:
  static constexpr std::size_t kMost = 5;
  using Row = std::array<std::optional<std::int64_t>, kMost>;

  /// Reads the table anew; empty if it is not there. Errc: as Rows::next.
  Result<void> read(Database& database, std::string_view table,
                    std::span<const std::string_view> columns);
  /// In the order of the columns; all empty for an id that is none, or that nothing stands behind.
  [[nodiscard]] Row find(std::optional<std::int64_t> id) const;
  /// Whether one of the rows has a number above 0 there.
  [[nodiscard]] bool any_positive(std::size_t column) const;

 private:
  std::size_t width_ = 0;                                    // of a row, with its id
  std::vector<std::int64_t> values_;                         // row by row
  std::vector<std::pair<std::int64_t, std::size_t>> order_;  // (id, row), if ids do not ascend
};

}  // namespace orrery::trace::rocpd
