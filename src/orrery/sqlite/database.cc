// SPDX-License-Identifier: Apache-2.0
#include "orrery/sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/sqlite/connection.h"

namespace orrery::sqlite {

Connection::Connection(sqlite3* opened, std::uint64_t bytes, std::string name)
    : database(opened), size(bytes), where(std::move(name)), text_left(bytes) {}

// SQLite closes the connection after the last of its statements is finalized.
Connection::~Connection() { (void)sqlite3_close_v2(database); }

std::string Connection::place(std::string_view table) const {
  return table.empty() ? where : fmt::format("{}:{}", where, table);
}

tl::unexpected<Error> Connection::failure(std::string_view table) const {
  const std::string at = place(table);
  switch (sqlite3_extended_errcode(database) & 0xff) {
    case SQLITE_INTERRUPT:
      return fail(Errc::limit_exceeded, at,
                  is_schema_too_large ? "listing its tables needs too much memory"
                                      : "reading it needs more work than its size explains");
    case SQLITE_NOMEM:
      return fail(Errc::limit_exceeded, at, "reading it needs more memory than is available");
    case SQLITE_TOOBIG:
      return fail(Errc::limit_exceeded, at, "has a value that is too large");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return fail(Errc::input_read, at, std::string("cannot be read: ") + sqlite3_errmsg(database));
    default:
      return fail(Errc::input_corrupt, at,
                  std::string("SQLite reports: ") + sqlite3_errmsg(database));
  }
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

const std::string& Database::where() const { return connection_->where; }
std::uint64_t Database::size() const { return connection_->size; }

// The schema may define a view or a virtual table under this name; its SQL text reveals that.
Result<void> Database::harden_and_list(const FileExpectation& expected) {
  if (!harden(*connection_, expected.columns)) return connection_->failure({});
  auto rows =
      prepare("SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0");
  if (!rows) return tl::unexpected(std::move(rows.error()));
  while (true) {
    const Result<bool> there = rows->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) break;
    const auto sql = rows->value(1);
    if (!sql || !sql->starts_with("CREATE TABLE ")) continue;
    if (const auto name = rows->value(0)) tables_.emplace(*name);
  }
  if (!schema_is_large(*connection_)) return {};
  return fail(Errc::limit_exceeded, connection_->where, "listing its tables needs too much memory");
}

Result<Statement> Database::prepare(const std::string& sql, std::string_view table) {
  Statement made(*connection_, table);
  const int code =
      sqlite3_prepare_v2(connection_->database, sql.c_str(), -1, &made.statement_, nullptr);
  if (code != SQLITE_OK) return connection_->failure(table);
  return made;
}

Result<std::vector<std::string>> Database::columns(std::string_view table) {
  auto info = prepare("PRAGMA main.table_xinfo(" + sql_name(table) + ")", table);
  if (!info) return tl::unexpected(std::move(info.error()));
  std::vector<std::string> names;
  while (true) {
    constexpr int kName = 1;
    constexpr int kHidden = 6;
    const Result<bool> there = info->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) return names;
    if (info->integer(kHidden) == 0) names.emplace_back(info->value(kName).value_or(""));
  }
}

Result<bool> Database::is_key(std::string_view table, std::string_view column) {
  auto info = prepare("PRAGMA main.table_xinfo(" + sql_name(table) + ")", table);
  if (!info) return tl::unexpected(std::move(info.error()));
  std::size_t keys = 0;
  bool found = false;
  while (true) {
    constexpr int kName = 1;
    constexpr int kKey = 5;
    const Result<bool> there = info->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) return found && keys == 1;
    if (info->integer(kKey) == 0) continue;
    ++keys;
    found = found || info->value(kName) == column;
  }
}

}  // namespace orrery::sqlite
