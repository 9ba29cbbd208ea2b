// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include "orrery/core/limits.h"

namespace orrery::trace::nsys {

/// What may still be done, in proportion to the file's size.
struct Database::Budget {
  std::uint64_t steps = 0;
  std::uint64_t text = 0;
  bool overdrawn = false;
};

namespace {

constexpr int kStride = 1000;  // SQLite calls back after so many of its instructions

// What a hostile schema could make SQLite do is switched off, and what it may ask for is bounded.
void harden(sqlite3* database) {
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, static_cast<int>(limits::kRunFileValueBytes));
  (void)sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  (void)sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 500);
  (void)sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 50);
  (void)sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 4);
  (void)sqlite3_limit(database, SQLITE_LIMIT_VDBE_OP, 25'000);
  (void)sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  (void)sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  (void)sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

// "a?b" → "file:a%3fb?immutable=1": nothing beside the file is looked at, and nothing is locked.
std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return uri + "?immutable=1";
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { (void)sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Statement prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  Statement owned(statement);
  return code == SQLITE_OK ? std::move(owned) : nullptr;
}

std::string text_of(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return text == nullptr ? std::string() : std::string(text, size);
}

/// Its size and whether it begins as a database does.
Result<std::uint64_t> check_start(const std::string& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int code = errno;
    return fail(code == ENOENT || code == ENOTDIR ? Errc::input_not_found : Errc::input_read, path,
                "cannot be read: " + std::generic_category().message(code));
  }
  struct stat status {};
  char start[16];
  ssize_t got = ::fstat(fd, &status);
  const bool regular = got == 0 && S_ISREG(status.st_mode);
  if (regular) got = ::read(fd, start, sizeof start);
  const int code = errno;
  (void)::close(fd);
  if (got < 0)
    return fail(Errc::input_read, path, "cannot be read: " + std::generic_category().message(code));
  if (!regular) return fail(Errc::input_read, path, "is not a regular file");
  const std::string_view head(start, static_cast<std::size_t>(got));
  if (head != kMagic) {
    const bool packed = head.substr(0, 2) == "\x1F\x8B" || head.substr(0, 4) == "\x28\xB5\x2F\xFD";
    return fail(Errc::input_corrupt, path, "is not an SQLite database",
                packed ? "it is compressed: decompress it first"
                       : "was it made by 'nsys export --type sqlite'?");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Database::Database(sqlite3* database, std::uint64_t size, std::string where)
    : database_(database), where_(std::move(where)), budget_(std::make_unique<Budget>()) {
  budget_->steps = (limits::kRunFileWorkFloor + size * limits::kRunFileWork) / kStride;
  budget_->text = size;
  harden(database_);
  const auto on_progress = [](void* budget) {
    auto& left = *static_cast<Budget*>(budget);
    if (left.steps == 0) return 1;
    --left.steps;
    return 0;
  };
  sqlite3_progress_handler(database_, kStride, on_progress, budget_.get());
}

Database::Database(Database&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      where_(std::move(other.where_)),
      budget_(std::move(other.budget_)),
      tables_(std::move(other.tables_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(where_, other.where_);
  std::swap(budget_, other.budget_);
  std::swap(tables_, other.tables_);
  return *this;
}

Database::~Database() { (void)sqlite3_close(database_); }

Result<Database> Database::open(const std::string& path) {
  const Result<std::uint64_t> size = check_start(path);
  if (!size) return tl::unexpected(size.error());
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(uri_of(path).c_str(), &opened,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
  if (code != SQLITE_OK) {
    (void)sqlite3_close(opened);
    return fail(Errc::input_read, path, std::string("cannot be read: ") + sqlite3_errstr(code));
  }
  Database database(opened, *size, path);
  if (auto looked = database.look(); !looked) return tl::unexpected(std::move(looked.error()));
  return database;
}

Result<Database> Database::in_memory(std::span<const std::byte> bytes, std::string where) {
  sqlite3* opened = nullptr;
  int code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nullptr);
  if (code == SQLITE_OK) {
    // SQLite does not write to a database that is deserialized read-only.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    code = sqlite3_deserialize(opened, "main", data, size, size, SQLITE_DESERIALIZE_READONLY);
  }
  if (code != SQLITE_OK) {
    (void)sqlite3_close(opened);
    return fail(Errc::input_corrupt, where, std::string("SQLite says: ") + sqlite3_errstr(code));
  }
  Database database(opened, bytes.size(), std::move(where));
  if (auto looked = database.look(); !looked) return tl::unexpected(std::move(looked.error()));
  return database;
}

tl::unexpected<Error> Database::failure(std::string_view table) const {
  const std::string place = table.empty() ? where_ : fmt::format("{}:{}", where_, table);
  switch (sqlite3_extended_errcode(database_) & 0xff) {
    case SQLITE_INTERRUPT:
      return fail(Errc::limit_exceeded, place, "reading it takes more work than its size explains");
    case SQLITE_NOMEM:
      return fail(Errc::limit_exceeded, place, "reading it takes more memory than there is");
    case SQLITE_TOOBIG:
      return fail(Errc::limit_exceeded, place, "has a value that is too large");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return fail(Errc::input_read, place,
                  std::string("cannot be read: ") + sqlite3_errmsg(database_));
    default:
      return fail(Errc::input_corrupt, place,
                  std::string("SQLite says: ") + sqlite3_errmsg(database_));
  }
}

Result<void> Database::look() {
  for (const char* sql : {"PRAGMA cell_size_check = 1", "PRAGMA mmap_size = 0"}) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure({});
  }
  const Statement names = prepare(
      database_, "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0");
  if (!names) return failure({});
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(names.get())) == SQLITE_ROW) tables_.insert(text_of(names.get(), 0));
  if (code != SQLITE_DONE) return failure({});
  return {};
}

Result<std::vector<std::string>> Database::columns(std::string_view table) {
  const Statement info = prepare(database_, "PRAGMA main.table_xinfo(" + quoted(table) + ")");
  if (!info) return failure(table);
  std::vector<std::string> names;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(info.get())) == SQLITE_ROW) {
    constexpr int kName = 1;
    constexpr int kHidden = 6;
    if (sqlite3_column_int(info.get(), kHidden) == 0) names.push_back(text_of(info.get(), kName));
  }
  if (code != SQLITE_DONE) return failure(table);
  return names;
}

Result<bool> Database::is_key(std::string_view table, std::string_view column) {
  const Statement info = prepare(database_, "PRAGMA main.table_xinfo(" + quoted(table) + ")");
  if (!info) return failure(table);
  std::size_t keys = 0;
  bool found = false;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(info.get())) == SQLITE_ROW) {
    constexpr int kName = 1;
    constexpr int kKey = 5;
    if (sqlite3_column_int(info.get(), kKey) == 0) continue;
    ++keys;
    found = found || text_of(info.get(), kName) == column;
  }
  if (code != SQLITE_DONE) return failure(table);
  return found && keys == 1;
}

Result<Rows> Rows::of(Database& database, std::string_view table,
                      std::span<const std::string_view> columns) {
  Rows rows(database, std::string(table));
  rows.place_.assign(columns.size(), -1);
  if (!database.has(table)) return rows;
  const auto there = database.columns(table);
  if (!there) return tl::unexpected(there.error());
  std::string sql;
  int place = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::find(there->begin(), there->end(), columns[i]) == there->end()) continue;
    sql += (place == 0 ? "SELECT " : ", ") + quoted(columns[i]);
    rows.place_[i] = place++;
  }
  if (place == 0) return rows;
  sql += " FROM main." + quoted(table) + " NOT INDEXED";
  rows.statement_ = prepare(database.database_, sql).release();
  if (rows.statement_ == nullptr) return database.failure(table);
  return rows;
}

Rows::Rows(Rows&& other) noexcept
    : database_(other.database_),
      table_(std::move(other.table_)),
      place_(std::move(other.place_)),
      statement_(std::exchange(other.statement_, nullptr)) {}

Rows::~Rows() { (void)sqlite3_finalize(statement_); }

Result<bool> Database::step(sqlite3_stmt* statement, std::string_view table) const {
  const int code = sqlite3_step(statement);
  if (budget_->overdrawn) {
    return fail(Errc::limit_exceeded, fmt::format("{}:{}", where_, table),
                "there is more text in it than the file has room for");
  }
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(table);
}

std::optional<std::string_view> Database::value(sqlite3_stmt* row, int column) const {
  const bool text = sqlite3_column_type(row, column) == SQLITE_TEXT;  // whatever its encoding
  const auto* bytes = text ? reinterpret_cast<const char*>(sqlite3_column_text(row, column))
                           : static_cast<const char*>(sqlite3_column_blob(row, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
  if (size > budget_->text || (bytes == nullptr && size > 0)) {
    budget_->overdrawn = true;
    return std::nullopt;
  }
  budget_->text -= size;
  return std::string_view(bytes, size);
}

Result<bool> Rows::next() {
  if (statement_ == nullptr) return false;
  return database_->step(statement_, table_);
}

std::optional<std::int64_t> Rows::integer(std::size_t column) const {
  const int place = place_[column];
  if (place < 0) return std::nullopt;
  const int type = sqlite3_column_type(statement_, place);
  if (type == SQLITE_INTEGER) return sqlite3_column_int64(statement_, place);
  if (type != SQLITE_FLOAT) return std::nullopt;
  const double value = sqlite3_column_double(statement_, place);
  constexpr double kExact = 9007199254740992.0;
  if (!(std::abs(value) <= kExact) || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::string_view> Rows::text(std::size_t column) const {
  const int place = place_[column];
  if (place < 0 || sqlite3_column_type(statement_, place) != SQLITE_TEXT) return std::nullopt;
  return database_->value(statement_, place);
}

std::optional<std::string_view> Rows::bytes(std::size_t column) const {
  const int place = place_[column];
  if (place < 0) return std::nullopt;
  const int type = sqlite3_column_type(statement_, place);
  if (type != SQLITE_BLOB && type != SQLITE_TEXT) return std::nullopt;
  return database_->value(statement_, place);
}

Result<TextByKey> TextByKey::of(Database& database, std::string_view table, std::string_view key,
                                std::string_view text) {
  TextByKey lookup(database, std::string(table));
  const std::string sql =
      "SELECT " + quoted(text) + " FROM main." + quoted(table) + " WHERE " + quoted(key) + " = ?";
  lookup.statement_ = prepare(database.database_, sql).release();
  if (lookup.statement_ == nullptr) return database.failure(table);
  return lookup;
}

TextByKey::TextByKey(TextByKey&& other) noexcept
    : database_(other.database_),
      table_(std::move(other.table_)),
      statement_(std::exchange(other.statement_, nullptr)) {}

TextByKey::~TextByKey() { (void)sqlite3_finalize(statement_); }

Result<std::optional<std::string_view>> TextByKey::find(std::int64_t key) {
  (void)sqlite3_reset(statement_);
  (void)sqlite3_bind_int64(statement_, 1, key);
  const auto there = database_->step(statement_, table_);
  if (!there) return tl::unexpected(there.error());
  if (!*there || sqlite3_column_type(statement_, 0) != SQLITE_TEXT) return std::nullopt;
  return database_->value(statement_, 0);
}

bool is_nsight_table(std::string_view name) {
  return name.starts_with("CUPTI_ACTIVITY_KIND_") || name == "NVTX_EVENTS" || name == "StringIds" ||
         name.starts_with("TARGET_INFO_");
}

bool has_nsight_tables(const std::string& path) {
  const auto database = Database::open(path);
  if (!database) return false;
  return std::any_of(database->tables().begin(), database->tables().end(), is_nsight_table);
}

}  // namespace orrery::trace::nsys
