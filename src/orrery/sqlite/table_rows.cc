// SPDX-License-Identifier: Apache-2.0
#include "orrery/sqlite/table_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "orrery/core/text/text.h"

namespace orrery::sqlite {

Result<Rows> Rows::of(Database& database, std::string_view table,
                      std::span<const std::string_view> columns) {
  Rows rows;
  rows.place_.assign(columns.size(), -1);
  if (!database.has(table)) return rows;
  const auto there = database.columns(table);
  if (!there) return tl::unexpected(there.error());
  std::string sql;
  int place = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::find(there->begin(), there->end(), columns[i]) == there->end()) continue;
    sql += (place == 0 ? "SELECT " : ", ") + sql_name(columns[i]);
    rows.place_[i] = place++;
  }
  if (place == 0) return rows;
  sql += " FROM main." + sql_name(table) + " NOT INDEXED";
  auto statement = database.prepare(sql, table);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  rows.statement_.emplace(std::move(*statement));
  return rows;
}

Result<bool> Rows::next() {
  if (!statement_) return false;
  return statement_->next();
}

std::optional<std::int64_t> Rows::integer(std::size_t column) const {
  const int place = place_[column];
  if (place < 0) return std::nullopt;
  const Type type = statement_->type(place);
  if (type == Type::integer) return statement_->integer(place);
  if (type != Type::real) return std::nullopt;
  const double value = statement_->real(place);
  constexpr double kExact = 9007199254740992.0;
  if (!(std::abs(value) <= kExact) || std::trunc(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::string_view> Rows::text(std::size_t column) const {
  const int place = place_[column];
  if (place < 0 || statement_->type(place) != Type::text) return std::nullopt;
  return statement_->text(place);
}

std::optional<std::string_view> Rows::bytes(std::size_t column) const {
  const int place = place_[column];
  if (place < 0) return std::nullopt;
  const Type type = statement_->type(place);
  if (type != Type::bytes && type != Type::text) return std::nullopt;
  return statement_->text(place);
}

Result<TextByKey> TextByKey::of(Database& database, std::string_view table, std::string_view key,
                                std::string_view text) {
  auto statement = database.prepare("SELECT " + sql_name(text) + " FROM main." + sql_name(table) +
                                        " WHERE " + sql_name(key) + " = ?",
                                    table);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  return TextByKey(std::move(*statement));
}

Result<std::optional<std::string_view>> TextByKey::find(std::int64_t key) {
  statement_.bind(1, key);
  const auto there = statement_.next();
  if (!there) return tl::unexpected(there.error());
  if (!*there || statement_.type(0) != Type::text) return std::nullopt;
  return statement_.text(0);
}

}  // namespace orrery::sqlite
