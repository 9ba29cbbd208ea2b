// SPDX-License-Identifier: Apache-2.0
//
// A connection with its remaining budget of work. Private to sqlite.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"

struct sqlite3;

namespace orrery::sqlite {

struct FileExpectation;

/// Not movable: SQLite calls back with its address.
struct Connection {
  /// Takes ownership of `opened`.
  Connection(sqlite3* opened, std::uint64_t bytes, std::string name);
  Connection(const Connection&) = delete;
  ~Connection();

  /// The last error message of SQLite, as an error of `table`.
  [[nodiscard]] tl::unexpected<Error> failure(std::string_view table) const;
  [[nodiscard]] std::string place(std::string_view table) const;

  sqlite3* database = nullptr;
  std::uint64_t size = 0;
  std::string where;
  std::uint64_t steps_left = 0;  ///< proportional to the size of the database, as text_left is
  std::uint64_t text_left = 0;
  std::uint64_t callbacks = 0;       ///< number of callbacks from SQLite
  bool is_text_exhausted = false;    ///< a query read more text than the budget allows
  bool is_schema_too_large = false;  ///< the table definitions use more memory than allowed
};

/// Disables what a hostile schema could make SQLite do, and limits the resources of queries.
/// Returns false if SQLite refuses.
[[nodiscard]] bool harden(Connection& connection, int columns);
/// Whether the table definitions use more memory than allowed.
[[nodiscard]] bool schema_is_large(const Connection& connection);

/// The size of the file at `path`, after checking that it starts with an SQLite header and is not
/// truncated. Errc: as Database::open.
[[nodiscard]] Result<std::uint64_t> check_start(const std::string& path,
                                                const FileExpectation& expected);

}  // namespace orrery::sqlite
