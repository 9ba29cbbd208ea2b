// SPDX-License-Identifier: Apache-2.0
//
// Private to sqlite: a connection, and what it may still do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"

struct sqlite3;

namespace orrery::sqlite {

struct FileExpectation;

/// Stays where it is: SQLite calls back with its address.
struct Connection {
  /// Takes the connection over.
  Connection(sqlite3* opened, std::uint64_t bytes, std::string name);
  Connection(const Connection&) = delete;
  ~Connection();

  /// What SQLite says about its last failure, as an error of `table`.
  [[nodiscard]] tl::unexpected<Error> failure(std::string_view table) const;
  [[nodiscard]] std::string place(std::string_view table) const;

  sqlite3* database = nullptr;
  std::uint64_t size = 0;
  std::string where;
  std::uint64_t steps_left = 0;  ///< in proportion to the size, like text
  std::uint64_t text_left = 0;
  std::uint64_t callbacks = 0;       ///< how often SQLite called back
  bool is_text_exhausted = false;    ///< more text was asked for than is left
  bool is_schema_too_large = false;  ///< the tables take more memory than they may
};

/// Switches off what a hostile schema could make SQLite do, and bounds what it may ask for. False
/// when SQLite refuses.
[[nodiscard]] bool harden(Connection& connection, int columns);
/// Whether the definitions of the tables take more memory than they may.
[[nodiscard]] bool schema_is_large(const Connection& connection);

/// The size of the file at `path`, if it begins as a database does and is not cut off. Errc: as
/// Database::open.
[[nodiscard]] Result<std::uint64_t> check_start(const std::string& path,
                                                const FileExpectation& expected);

}  // namespace orrery::sqlite
