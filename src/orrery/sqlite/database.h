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

struct sqlite3_stmt;

namespace orrery::sqlite {

/// What somebody who opens a file takes it for.
struct FileExpectation {
  std::string_view otherwise;  ///< what is said of a file that does not begin as a database does
  std::string_view made_by;    ///< the hint that goes with it
  std::string_view again;      ///< the hint for a file that is cut off
  int columns = 500;           ///< of a table, at most
  bool cut = false;            ///< whether a part of the last page may be missing
};

/// What a value is.
enum class Type { null, integer, real, text, bytes };

struct Connection;

/// One query and its rows. Nothing can be asked of it any more once its database is gone.
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Values for the question marks of the query, from 1; begins it anew. Texts must outlive it.
  void bind(int place, std::int64_t value);
  void bind(int place, std::string_view text);
  /// The next row; false behind the last one. Errc: input_corrupt, input_read, limit_exceeded.
  [[nodiscard]] Result<bool> next();

  [[nodiscard]] Type type(int column) const;
  /// As SQLite converts it.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  /// A text (in UTF-8) or bytes, valid until the next row; counted against what the file can hold.
  /// Nothing when that is exceeded: next() will say so.
  [[nodiscard]] std::optional<std::string_view> text(int column) const;

 private:
  friend class Database;
  Statement(Connection& connection, std::string_view table)
      : connection_(&connection), table_(table) {}
  /// A text or bytes, counted nowhere; nothing when there is no memory for it.
  [[nodiscard]] std::optional<std::string_view> value(int column) const;

  Connection* connection_;
  std::string table_;  // named in errors
  sqlite3_stmt* statement_ = nullptr;
};

/// A database's real tables. Views, virtual tables, triggers and computed columns are not looked
/// at, no function is called, and nothing is written, beside the file neither.
class Database {
 public:
  /// Nothing beside the file is looked at, and nothing is locked. Errc: input_not_found,
  /// input_read, input_corrupt, limit_exceeded.
  [[nodiscard]] static Result<Database> open(const std::string& path,
                                             const FileExpectation& expected);
  /// The same from a file's bytes, which must outlive it.
  [[nodiscard]] static Result<Database> in_memory(std::span<const std::byte> bytes,
                                                  std::string where,
                                                  const FileExpectation& expected);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  [[nodiscard]] const std::string& where() const;
  /// Of the file, in bytes. What is read out of it is held against that.
  [[nodiscard]] std::uint64_t size() const;
  /// Real tables, ascending.
  [[nodiscard]] const std::set<std::string, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] bool has(std::string_view table) const { return tables_.count(table) != 0; }
  /// Names of the stored columns of a table that is there. Errc: as a read.
  [[nodiscard]] Result<std::vector<std::string>> columns(std::string_view table);
  /// Whether one of a table's columns is its key, so that a row is found without looking at others.
  [[nodiscard]] Result<bool> is_key(std::string_view table, std::string_view column);

  /// A query that reads columns of real tables, or a number of the header ("PRAGMA user_version").
  /// Errors name `table`, if there is one. Errc: as Statement::next.
  [[nodiscard]] Result<Statement> prepare(const std::string& sql, std::string_view table = {});

 private:
  explicit Database(std::unique_ptr<Connection> connection);
  [[nodiscard]] Result<void> harden_and_list(const FileExpectation& expected);

  std::unique_ptr<Connection> connection_;
  std::set<std::string, std::less<>> tables_;
};

}  // namespace orrery::sqlite
