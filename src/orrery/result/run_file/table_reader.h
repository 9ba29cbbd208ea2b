// SPDX-License-Identifier: Apache-2.0
//
// A run file's tables, which anybody may have made: every value is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/result/run_file/table_schema.h"
#include "orrery/sqlite/database.h"

namespace orrery::result {

/// Opens an existing file that begins as an SQLite database does. Errc: as sqlite::Database::open.
[[nodiscard]] Result<sqlite::Database> open_run_file(const std::string& path);
/// The same from its bytes, which must outlive it.
[[nodiscard]] Result<sqlite::Database> open_run_file(std::span<const std::byte> bytes,
                                                     std::string where);

/// A run file's database. Errors are remembered, the first one counts; after one, rows end.
class DatabaseReader {
 public:
  explicit DatabaseReader(sqlite::Database& database) : database_(database) {}
  DatabaseReader(const DatabaseReader&) = delete;

  /// Checks whose file it is, its version, and that the tables are ours. Errc: input_corrupt,
  /// input_unsupported.
  void check_schema();

  [[nodiscard]] bool good() const { return !error_; }
  [[nodiscard]] const Error& error() const { return *error_; }
  void refuse(Errc code, const std::string& where, std::string what, std::string hint = {});
  void refuse(Error error);

  [[nodiscard]] sqlite::Database& database() const { return database_; }
  [[nodiscard]] std::uint64_t size() const { return database_.size(); }

 private:
  [[nodiscard]] std::int64_t number(const char* sql);
  [[nodiscard]] bool is_ours(const Table& table);
  void check_table(const Table& table);

  sqlite::Database& database_;
  std::optional<Error> error_;
};

/// The rows of one table, in the order of their ids, which must count from 0. Columns are taken one
/// after another; a value that is not of the right kind or out of range is an error.
class TableRows {
 public:
  TableRows(DatabaseReader& reader, std::string_view table);
  TableRows(const TableRows&) = delete;

  /// The next row; false behind the last one and after an error.
  bool next();
  [[nodiscard]] std::uint64_t row() const { return row_; }

  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most);
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(std::int64_t least, std::int64_t most);
  /// 64 bits, all of them.
  [[nodiscard]] std::uint64_t bits();
  [[nodiscard]] bool flag() { return integer(0, 1) != 0; }
  /// A number below `count`.
  [[nodiscard]] std::uint32_t index(std::uint64_t count);
  /// The same, counted from `base` in the file; NULL is kNone.
  [[nodiscard]] std::uint32_t maybe_index(std::uint64_t count, std::uint64_t base = 0);
  /// Below 2^62, so that two of them can be added; not negative.
  [[nodiscard]] Time time();
  [[nodiscard]] std::optional<Time> maybe_time();
  [[nodiscard]] Bytes bytes();
  /// Finite and not negative.
  [[nodiscard]] double real();
  [[nodiscard]] std::string_view text();
  /// One of `count` words, each of which name(Word) spells.
  template <class Word>
  [[nodiscard]] Word word(std::size_t count) {
    const std::string_view spelt = text();
    for (std::size_t i = 0; i < count; ++i) {
      if (name(static_cast<Word>(i)) == spelt) return static_cast<Word>(i);
    }
    wrong("is none of the words it may be");
    return Word{};
  }

  /// "x.orrery:span row 17" is wrong: `what`.
  void refuse(std::string what);
  void refuse(Errc code, std::string what, std::string hint);

 private:
  int take();
  void wrong(std::string_view what);

  DatabaseReader& reader_;
  const Table& table_;
  std::optional<sqlite::Statement> statement_;
  std::uint64_t row_ = ~std::uint64_t{0};
  int column_ = 0;
};

}  // namespace orrery::result
