// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <utility>

#include "orrery/sqlite/connection.h"
#include "orrery/sqlite/database.h"

namespace orrery::sqlite {

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      table_(std::move(other.table_)),
      statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() { (void)sqlite3_finalize(statement_); }

void Statement::bind(int place, std::int64_t value) {
  (void)sqlite3_reset(statement_);
  (void)sqlite3_bind_int64(statement_, place, value);
}

void Statement::bind(int place, std::string_view text) {
  (void)sqlite3_reset(statement_);
  (void)sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()),
                          SQLITE_STATIC);
}

Result<bool> Statement::next() {
  const int code = sqlite3_step(statement_);
  if (connection_->is_text_exhausted) {
    return fail(Errc::limit_exceeded, connection_->place(table_),
                "contains more text than the file size allows");
  }
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->failure(table_);
}

Type Statement::type(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::real;
    case SQLITE_TEXT:
      return Type::text;
    case SQLITE_BLOB:
      return Type::bytes;
    default:
      return Type::null;
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::optional<std::string_view> Statement::value(int column) const {
  // In any encoding; sqlite3_column_text converts to UTF-8.
  const bool text = type(column) == Type::text;
  const auto* bytes = text ? reinterpret_cast<const char*>(sqlite3_column_text(statement_, column))
                           : static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (bytes == nullptr && size > 0) return std::nullopt;
  return std::string_view(bytes, size);
}

std::optional<std::string_view> Statement::text(int column) const {
  const auto read = value(column);
  if (!read || read->size() > connection_->text_left) {
    connection_->is_text_exhausted = true;
    return std::nullopt;
  }
  connection_->text_left -= read->size();
  return read;
}

}  // namespace orrery::sqlite
