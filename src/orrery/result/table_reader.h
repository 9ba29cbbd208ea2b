// SPDX-License-Identifier: Apache-2.0
//
// Tables of a file that anybody may have made: read-only, checked, and with a bound on the work.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/result/schema.h"

struct sqlite3;
struct sqlite3_stmt;

namespace orrery::result {

struct CloseDatabase {
  void operator()(sqlite3* database) const;
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// Opens an existing file that begins as an SQLite database does. Errc: input_not_found,
/// input_read, input_corrupt. Sets `size`, in bytes.
[[nodiscard]] Result<Database> open_database(const std::string& path, std::uint64_t& size);

/// A run file's database. Errors are remembered, the first one counts; after one, rows end.
class DatabaseReader {
 public:
  /// `size`: of the file; what is read out of it is held against that. `file` names it in errors.
  DatabaseReader(sqlite3* database, std::uint64_t size, std::string file);
  DatabaseReader(const DatabaseReader&) = delete;
  ~DatabaseReader();

  /// Checks whose file it is, its version, and that the tables are ours. Errc: input_corrupt,
  /// input_unsupported.
  void check_schema();

  [[nodiscard]] bool good() const { return !error_; }
  [[nodiscard]] const Error& error() const { return *error_; }
  void refuse(Errc code, const std::string& where, std::string what, std::string hint = {});
  /// What SQLite says about its last failure.
  void refuse_database(const std::string& where);

  [[nodiscard]] sqlite3* database() const { return database_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Counts `bytes` of values that were read; false when they are more than the file can hold.
  [[nodiscard]] bool take(std::uint64_t bytes);

 private:
  [[nodiscard]] std::int64_t number(const char* sql);
  void check_table(const Table& table);
  bool step();
  friend int on_progress(void* reader);

  sqlite3* database_;
  std::uint64_t size_;
  std::string file_;
  std::uint64_t text_left_;
  std::uint64_t steps_left_;
  bool overworked_ = false;
  std::optional<Error> error_;
};

/// The rows of one table, in the order of their ids, which must count from 0. Columns are taken one
/// after another; a value that is not of the right kind or out of range is an error.
class TableRows {
 public:
  TableRows(DatabaseReader& reader, std::string_view table);
  TableRows(const TableRows&) = delete;
  ~TableRows();

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
  sqlite3_stmt* statement_ = nullptr;
  std::uint64_t row_ = ~std::uint64_t{0};
  int column_ = 0;
};

}  // namespace orrery::result
