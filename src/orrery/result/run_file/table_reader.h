// SPDX-License-Identifier: Apache-2.0
//
// Reads the tables of a run file. The file is untrusted: every value is checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/limits.h"
#include "orrery/core/quantity.h"
#include "orrery/result/run_file/table_schema.h"
#include "orrery/sqlite/database.h"

namespace orrery::result {

/// Opens an existing file that starts with an SQLite header. Errc: as sqlite::Database::open.
[[nodiscard]] Result<sqlite::Database> open_run_file(const std::string& path);
/// The same for the bytes of a file. `bytes` must outlive the database.
[[nodiscard]] Result<sqlite::Database> open_run_file(std::span<const std::byte> bytes,
                                                     std::string where);

/// The database of a run file. Stores the first error; after an error, tables have no further rows.
class DatabaseReader {
 public:
  explicit DatabaseReader(sqlite::Database& database) : database_(database) {}
  DatabaseReader(const DatabaseReader&) = delete;

  /// Checks the application id, the version, and that the tables have the expected definitions.
  /// Errc: input_corrupt, input_unsupported.
  void check_schema();

  [[nodiscard]] bool good() const { return !error_; }
  [[nodiscard]] const Error& error() const { return *error_; }
  void refuse(Errc code, const std::string& where, std::string what, std::string hint = {});
  void refuse(Error error);

  [[nodiscard]] sqlite::Database& database() const { return database_; }
  [[nodiscard]] std::uint64_t size() const { return database_.size(); }
  /// Rows that the file may leave out, because they repeat others.
  [[nodiscard]] std::uint64_t& repeated_rows() { return repeated_rows_; }
  /// The most periods of a part so far.
  [[nodiscard]] std::uint64_t repetitions() const { return repetitions_; }
  void note_repetitions(std::uint64_t count) { repetitions_ = std::max(repetitions_, count); }

 private:
  [[nodiscard]] std::int64_t number(const char* sql);
  [[nodiscard]] bool has_expected_definition(const Table& table);
  void check_table(const Table& table);

  sqlite::Database& database_;
  std::optional<Error> error_;
  std::uint64_t repeated_rows_ = limits::kRunFileRepeatedRows;
  std::uint64_t repetitions_ = 1;
};

class PartRows;

/// The rows of one table by id; ids must count from 0. Columns are read from left to right. A value
/// of the wrong type or out of range is an error. Of a parted table, all rows are read, also those
/// that the file leaves out; the rows of `name` have the columns of `stored_name`.
class TableRows {
 public:
  TableRows(DatabaseReader& reader, std::string_view table);
  TableRows(const TableRows&) = delete;
  ~TableRows();

  /// Moves to the next row; false after the last one and after an error.
  bool next();
  /// The same for a table of parts; the id of the next row must be `id`.
  bool next_part(std::uint64_t id) { return go_to(id); }
  [[nodiscard]] std::uint64_t row() const { return row_; }

  [[nodiscard]] std::int64_t integer(std::int64_t minimum, std::int64_t maximum);
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::int64_t minimum,
                                                             std::int64_t maximum);
  /// Any 64-bit value.
  [[nodiscard]] std::uint64_t bits();
  [[nodiscard]] bool flag() { return integer(0, 1) != 0; }
  /// An index below `count`.
  [[nodiscard]] std::uint32_t index(std::uint64_t count);
  /// An index that is stored with the offset `base`; kNone for NULL.
  [[nodiscard]] std::uint32_t optional_index(std::uint64_t count, std::uint64_t base = 0);
  /// Not negative and below 2^62, so that the sum of two cannot overflow.
  [[nodiscard]] Time time();
  [[nodiscard]] std::optional<Time> optional_time();
  [[nodiscard]] Bytes bytes();
  /// Finite and not negative.
  [[nodiscard]] double real();
  [[nodiscard]] std::string_view text();
  /// One of `count` enumerators, spelled as name(Word).
  template <class Word>
  [[nodiscard]] Word word(std::size_t count) {
    const std::string_view spelt = text();
    for (std::size_t i = 0; i < count; ++i) {
      if (name(static_cast<Word>(i)) == spelt) return static_cast<Word>(i);
    }
    refuse_value("is not one of the valid words");
    return Word{};
  }

  /// Reports an error in the current row: `"x.orrery:span row 17"` and `what`.
  void refuse(std::string what);
  void refuse(Errc code, std::string what, std::string hint);

 private:
  friend class PartRows;

  bool go_to(std::uint64_t row);
  void refuse_value(std::string_view what);
  // Values of the current row, as SQLite converts them.
  [[nodiscard]] sqlite::Type type(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::optional<std::string_view> raw_text(int column) const;

  DatabaseReader& reader_;
  const Table& table_;
  std::vector<std::string_view> columns_;
  std::optional<sqlite::Statement> statement_;
  std::unique_ptr<PartRows> parts_;  // of a parted table
  std::uint64_t row_ = ~std::uint64_t{0};
  int column_ = 0;
};

}  // namespace orrery::result
