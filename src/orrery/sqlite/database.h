// SPDX-License-Identifier: Apache-2.0
//
// Reads untrusted SQLite databases: read-only, checked, and with bounded work.
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

struct sqlite3_stmt;

namespace orrery::sqlite {

/// The kind of file that the caller expects.
struct FileExpectation {
  std::string_view otherwise;  ///< message for a file without an SQLite header
  std::string_view made_by;    ///< hint for that message
  std::string_view again;      ///< hint for a truncated file
  int columns = 500;           ///< maximum per table
  bool cut = false;            ///< whether the last page may be incomplete
};

/// The type of a value.
enum class Type { null, integer, real, text, bytes };

struct Connection;

/// A query and its rows. Invalid after its database is destroyed.
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Sets a parameter of the query (a question mark), from 1, and restarts it. Texts must outlive
  /// the statement.
  void bind(int place, std::int64_t value);
  void bind(int place, std::string_view text);
  /// Moves to the next row; false after the last one. Errc: input_corrupt, input_read,
  /// limit_exceeded.
  [[nodiscard]] Result<bool> next();

  [[nodiscard]] Type type(int column) const;
  /// The value as SQLite converts it.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  /// A text (in UTF-8) or bytes, valid until the next row. Its size is deducted from the text
  /// budget, which depends on the size of the file. Empty if the budget is exceeded; next() then
  /// returns the error.
  [[nodiscard]] std::optional<std::string_view> text(int column) const;

 private:
  friend class Database;
  Statement(Connection& connection, std::string_view table)
      : connection_(&connection), table_(table) {}
  /// A text or bytes without deduction from the budget; empty if there is not enough memory.
  [[nodiscard]] std::optional<std::string_view> value(int column) const;

  Connection* connection_;
  std::string table_;  // for errors
  sqlite3_stmt* statement_ = nullptr;
};

/// The ordinary tables of a database. Views, virtual tables, triggers and computed columns are
/// ignored. It calls no SQL function and writes or creates no file.
class Database {
 public:
  /// Opens a database without reading other files (journal, log) and without locking. Errc:
  /// input_not_found, input_read, input_corrupt, limit_exceeded.
  [[nodiscard]] static Result<Database> open(const std::string& path,
                                             const FileExpectation& expected);
  /// The same for the bytes of a file, which must outlive the database.
  [[nodiscard]] static Result<Database> in_memory(std::span<const std::byte> bytes,
                                                  std::string where,
                                                  const FileExpectation& expected);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  [[nodiscard]] const std::string& where() const;
  /// The size of the file, in bytes. Limits the work of queries and the text that they return.
  [[nodiscard]] std::uint64_t size() const;
  /// The names of ordinary tables, ascending.
  [[nodiscard]] const std::set<std::string, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] bool has(std::string_view table) const { return tables_.count(table) != 0; }
  /// The names of the stored columns of an existing table. Errc: as a read.
  [[nodiscard]] Result<std::vector<std::string>> columns(std::string_view table);
  /// Whether the column is the key of the table, so that SQLite finds a row without a scan.
  [[nodiscard]] Result<bool> is_key(std::string_view table, std::string_view column);

  /// Prepares a query that reads columns of ordinary tables, or a number of the header ("PRAGMA
  /// user_version"). Errors name `table`, if given. Errc: as Statement::next.
  [[nodiscard]] Result<Statement> prepare(const std::string& sql, std::string_view table = {});

 private:
  explicit Database(std::unique_ptr<Connection> connection);
  [[nodiscard]] Result<void> harden_and_list(const FileExpectation& expected);

  std::unique_ptr<Connection> connection_;
  std::set<std::string, std::less<>> tables_;
};

}  // namespace orrery::sqlite
