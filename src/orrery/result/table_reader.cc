// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/table_reader.h"

#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/result/run.h"
#include "orrery/result/run_file.h"

namespace orrery::result {

namespace {

constexpr std::int64_t kMostCount = (std::int64_t{1} << 62) - 1;

// SQLite calls back after so many of its instructions.
constexpr int kStride = 1000;

// What a hostile schema could make SQLite do is switched off, and what it may ask for is bounded.
void harden(sqlite3* database) {
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, static_cast<int>(limits::kRunFileValueBytes));
  (void)sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  (void)sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 200);
  (void)sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 50);
  (void)sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 4);
  (void)sqlite3_limit(database, SQLITE_LIMIT_VDBE_OP, 25'000);
  (void)sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  (void)sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  (void)sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

Errc code_of(int code) {
  switch (code & 0xff) {
    case SQLITE_TOOBIG:
    case SQLITE_INTERRUPT:
      return Errc::limit_exceeded;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Errc::input_read;
    default:
      return Errc::input_corrupt;
  }
}

}  // namespace

int on_progress(void* reader) { return static_cast<DatabaseReader*>(reader)->step() ? 0 : 1; }

DatabaseReader::DatabaseReader(sqlite3* database, std::uint64_t size, std::string file)
    : database_(database),
      size_(size),
      file_(std::move(file)),
      text_left_(size),
      steps_left_((limits::kRunFileWorkFloor + size * limits::kRunFileWork) / kStride) {
  harden(database_);
  sqlite3_progress_handler(database_, kStride, on_progress, this);
}

DatabaseReader::~DatabaseReader() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }

bool DatabaseReader::step() {
  if (steps_left_ == 0) return false;
  --steps_left_;
  return true;
}

bool DatabaseReader::take(std::uint64_t bytes) {
  if (bytes > text_left_) return false;
  text_left_ -= bytes;
  return true;
}

void DatabaseReader::refuse(Errc code, const std::string& where, std::string what,
                            std::string hint) {
  if (error_) return;
  error_ =
      Error{code, where.empty() ? file_ : file_ + ":" + where, std::move(what), std::move(hint)};
}

void DatabaseReader::refuse_database(const std::string& where) {
  const int code = sqlite3_extended_errcode(database_);
  if ((code & 0xff) == SQLITE_INTERRUPT) {
    refuse(Errc::limit_exceeded, where, "reading it takes more work than its size explains");
  } else if ((code & 0xff) == SQLITE_NOMEM) {
    refuse(Errc::limit_exceeded, where, "reading it takes more memory than there is");
  } else {
    refuse(code_of(code), where, std::string("SQLite says: ") + sqlite3_errmsg(database_));
  }
}

// The answer to a query that has one; 0 after an error.
std::int64_t DatabaseReader::number(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  std::int64_t value = 0;
  if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    value = sqlite3_column_int64(statement, 0);
  } else {
    refuse_database({});
  }
  sqlite3_finalize(statement);
  return value;
}

// A table of that name that is created exactly as ours is: a view, a virtual table or columns that
// are computed would not be.
void DatabaseReader::check_table(const Table& table) {
  if (!good()) return;
  sqlite3_stmt* statement = nullptr;
  const char* sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?";
  bool same = false;
  if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) == SQLITE_OK) {
    (void)sqlite3_bind_text(statement, 1, table.name.data(), static_cast<int>(table.name.size()),
                            SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) {
      const void* text = sqlite3_column_text(statement, 0);
      const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement, 0));
      same = text != nullptr &&
             std::string_view(static_cast<const char*>(text), bytes) == create_sql(table);
    }
  }
  if (!same) {
    if ((sqlite3_errcode(database_) & 0xff) < SQLITE_ROW &&
        sqlite3_errcode(database_) != SQLITE_OK) {
      refuse_database(std::string(table.name));
    }
    refuse(Errc::input_corrupt, std::string(table.name),
           "the table is missing, or not what run files of this version have");
  }
  sqlite3_finalize(statement);
}

void DatabaseReader::check_schema() {
  for (const char* sql : {"PRAGMA cell_size_check = 1", "PRAGMA mmap_size = 0"}) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) refuse_database({});
  }
  if (!good()) return;
  if (number("PRAGMA application_id") != kApplicationId) {
    refuse(Errc::input_corrupt, {}, "is an SQLite database, but not a run file",
           "was it written by 'orrery run -o'?");
  }
  const std::int64_t version = number("PRAGMA user_version");
  if (version > kRunFileVersion) {
    refuse(Errc::input_unsupported, {},
           "is a run file of version " + std::to_string(version) + "; this program reads version " +
               std::to_string(kRunFileVersion),
           "a newer Orrery wrote it");
  } else if (version > 0 && version < kRunFileVersion) {
    refuse(Errc::input_unsupported, {},
           "is a run file of version " + std::to_string(version) + "; this program reads version " +
               std::to_string(kRunFileVersion),
           "an older Orrery wrote it: simulate again with 'orrery run … -o'");
  } else if (version < 1) {
    refuse(Errc::input_corrupt, {}, "has no version that a run file can have");
  }
  for (const Table& table : tables()) check_table(table);
}

TableRows::TableRows(DatabaseReader& reader, std::string_view name)
    : reader_(reader), table_(table(name)) {
  if (!reader_.good()) return;
  std::string sql;
  for (const Column& column : table_.columns) {
    if (generated(column)) continue;
    sql += sql.empty() ? "SELECT " : ", ";
    sql += column.name;
  }
  sql += " FROM main." + std::string(name) + " NOT INDEXED ORDER BY id";
  if (sqlite3_prepare_v2(reader_.database(), sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
    reader_.refuse_database(std::string(name));
}

TableRows::~TableRows() { sqlite3_finalize(statement_); }

bool TableRows::next() {
  if (!reader_.good()) return false;
  ++row_;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) {
    column_ = 0;
    if (bits() != row_) refuse("its id does not count on");
    return reader_.good();
  }
  if (code != SQLITE_DONE)
    reader_.refuse_database(std::string(table_.name) + " row " + std::to_string(row_));
  return false;
}

void TableRows::refuse(Errc code, std::string what, std::string hint) {
  reader_.refuse(code, std::string(table_.name) + " row " + std::to_string(row_), std::move(what),
                 std::move(hint));
}

void TableRows::refuse(std::string what) { refuse(Errc::input_corrupt, std::move(what), {}); }

void TableRows::wrong(std::string_view what) {
  const auto number = static_cast<std::size_t>(column_ - 1);  // stored columns come first
  refuse(std::string(table_.columns[number].name) + " " + std::string(what));
}

int TableRows::take() { return column_++; }

std::optional<std::int64_t> TableRows::maybe_integer(std::int64_t least, std::int64_t most) {
  const int column = take();
  const int type = sqlite3_column_type(statement_, column);
  if (type == SQLITE_NULL) return std::nullopt;
  const std::int64_t value = sqlite3_column_int64(statement_, column);
  if (type != SQLITE_INTEGER) {
    wrong("is not a whole number");
  } else if (value < least || value > most) {
    wrong("is out of range: " + std::to_string(value));
  } else {
    return value;
  }
  return least;
}

std::int64_t TableRows::integer(std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = maybe_integer(least, most);
  if (!value) wrong("is missing");
  return value.value_or(least);
}

std::uint64_t TableRows::bits() {
  return static_cast<std::uint64_t>(
      integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

std::uint32_t TableRows::index(std::uint64_t count) {
  return static_cast<std::uint32_t>(integer(0, static_cast<std::int64_t>(count) - 1));
}

std::uint32_t TableRows::maybe_index(std::uint64_t count, std::uint64_t base) {
  const auto first = static_cast<std::int64_t>(base);
  const auto value = maybe_integer(first, first + static_cast<std::int64_t>(count) - 1);
  return value ? static_cast<std::uint32_t>(*value - first) : kNone;
}

Time TableRows::time() { return Time(integer(0, kMostCount)); }

std::optional<Time> TableRows::maybe_time() {
  const auto value = maybe_integer(0, kMostCount);
  return value ? std::optional(Time(*value)) : std::nullopt;
}

Bytes TableRows::bytes() { return Bytes(integer(0, kMostCount)); }

double TableRows::real() {
  const int column = take();
  const int type = sqlite3_column_type(statement_, column);
  const double value = sqlite3_column_double(statement_, column);
  if ((type == SQLITE_FLOAT || type == SQLITE_INTEGER) && std::isfinite(value) && value >= 0)
    return value;
  wrong("is not a number that it can be");
  return 0;
}

std::string_view TableRows::text() {
  const int column = take();
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) {
    wrong("is not a text");
    return {};
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (text == nullptr && size > 0) {
    reader_.refuse_database(std::string(table_.name) + " row " + std::to_string(row_));
    return {};
  }
  if (!reader_.take(size)) {
    wrong("is more text than the file has room for");
    return {};
  }
  return {text, size};
}

}  // namespace orrery::result
