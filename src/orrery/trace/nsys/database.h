// SPDX-License-Identifier: Apache-2.0
//
// An SQLite database that anybody may have made: read-only, checked, and with a bound on the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace orrery::trace::nsys {

/// Whether a table of that name is one of an export's.
[[nodiscard]] bool is_nsight_table(std::string_view name);
/// True if the file is an SQLite database with one of Nsight's tables. False for anything else.
[[nodiscard]] bool has_nsight_tables(const std::string& path);

/// A database's real tables. Views, virtual tables, triggers and computed columns are not looked
/// at.
class Database {
 public:
  /// Nothing beside the file is looked at, and nothing is locked. Errc: input_not_found,
  /// input_read, input_corrupt.
  [[nodiscard]] static Result<Database> open(const std::string& path);
  /// The same from a file's bytes, which must outlive it.
  [[nodiscard]] static Result<Database> in_memory(std::span<const std::byte> bytes,
                                                  std::string where);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  [[nodiscard]] const std::string& where() const { return where_; }
  /// Real tables, ascending.
  [[nodiscard]] const std::set<std::string, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] bool has(std::string_view table) const { return tables_.count(table) != 0; }
  /// Names of the stored columns of a table that is there. Errc: as a read.
  [[nodiscard]] Result<std::vector<std::string>> columns(std::string_view table);
  /// Whether one of a table's columns is its key, so that a row is found without looking at others.
  [[nodiscard]] Result<bool> is_key(std::string_view table, std::string_view column);

 private:
  friend class Rows;
  friend class TextByKey;
  struct Budget;
  Database(sqlite3* database, std::uint64_t size, std::string where);
  [[nodiscard]] Result<void> look();
  /// The value of a column of a row, counted against what the file can hold.
  [[nodiscard]] std::optional<std::string_view> value(sqlite3_stmt* row, int column) const;
  [[nodiscard]] Result<bool> step(sqlite3_stmt* statement, std::string_view table) const;
  /// What SQLite says about its last failure.
  [[nodiscard]] tl::unexpected<Error> failure(std::string_view table) const;

  sqlite3* database_ = nullptr;
  std::string where_;
  std::unique_ptr<Budget> budget_;
  std::set<std::string, std::less<>> tables_;
};

/// The rows of a table, in the order they are stored. Columns are named; one that the table lacks
/// is NULL everywhere.
class Rows {
 public:
  /// A table that is not there has no rows.
  [[nodiscard]] static Result<Rows> of(Database& database, std::string_view table,
                                       std::span<const std::string_view> columns);
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  /// The next row; false behind the last one. Errc: input_corrupt, input_read, limit_exceeded.
  [[nodiscard]] Result<bool> next();
  [[nodiscard]] bool has(std::size_t column) const { return place_[column] >= 0; }
  /// A whole number; nothing for NULL, texts, and numbers with a fraction.
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const;
  /// Valid until the next row; nothing for NULL and what is not text.
  [[nodiscard]] std::optional<std::string_view> text(std::size_t column) const;
  /// The same for bytes (stored as such, or as text).
  [[nodiscard]] std::optional<std::string_view> bytes(std::size_t column) const;

 private:
  Rows(Database& database, std::string table) : database_(&database), table_(std::move(table)) {}

  Database* database_;
  std::string table_;
  std::vector<int> place_;  // of each column in the statement; -1 = not there
  sqlite3_stmt* statement_ = nullptr;
};

/// Finds texts by a whole number that is their key.
class TextByKey {
 public:
  [[nodiscard]] static Result<TextByKey> of(Database& database, std::string_view table,
                                            std::string_view key, std::string_view text);
  TextByKey(TextByKey&&) noexcept;
  TextByKey& operator=(TextByKey&&) = delete;
  ~TextByKey();

  /// Valid until the next call; nothing when there is none. Errc: as Rows::next.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::int64_t key);

 private:
  TextByKey(Database& database, std::string table)
      : database_(&database), table_(std::move(table)) {}

  Database* database_;
  std::string table_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace orrery::trace::nsys
