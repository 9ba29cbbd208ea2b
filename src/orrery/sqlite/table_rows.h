// SPDX-License-Identifier: Apache-2.0
//
// Reads tables by column name. A file may lack some columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/sqlite/database.h"

namespace orrery::sqlite {

/// The rows of a table, in the order in which they are stored. Columns are selected by name; a
/// column that the table lacks is NULL in all rows.
class Rows {
 public:
  /// A missing table has no rows.
  [[nodiscard]] static Result<Rows> of(Database& database, std::string_view table,
                                       std::span<const std::string_view> columns);

  /// Moves to the next row; false after the last one. Errc: input_corrupt, input_read,
  /// limit_exceeded.
  [[nodiscard]] Result<bool> next();
  [[nodiscard]] bool has(std::size_t column) const { return place_[column] >= 0; }
  /// An integer; empty for NULL, texts, and numbers with a fraction.
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const;
  /// Valid until the next row; empty for NULL and values that are not text.
  [[nodiscard]] std::optional<std::string_view> text(std::size_t column) const;
  /// The same for bytes (stored as a blob or as text).
  [[nodiscard]] std::optional<std::string_view> bytes(std::size_t column) const;

 private:
  std::vector<int> place_;  // index of each column in the statement; -1: missing
  std::optional<Statement> statement_;
};

/// Finds texts by their integer key.
class TextByKey {
 public:
  [[nodiscard]] static Result<TextByKey> of(Database& database, std::string_view table,
                                            std::string_view key, std::string_view text);

  /// Valid until the next call; empty if the key does not exist. Errc: as Rows::next.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::int64_t key);

 private:
  explicit TextByKey(Statement statement) : statement_(std::move(statement)) {}

  Statement statement_;
};

}  // namespace orrery::sqlite
