// SPDX-License-Identifier: Apache-2.0
//
// Tables whose columns are known by name only, and may be missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/sqlite/database.h"

namespace orrery::sqlite {

/// The rows of a table, in the order they are stored. Columns are named; one that the table lacks
/// is NULL everywhere.
class Rows {
 public:
  /// A table that is not there has no rows.
  [[nodiscard]] static Result<Rows> of(Database& database, std::string_view table,
                                       std::span<const std::string_view> columns);

  /// The next row; false behind the last one. Errc: input_corrupt, input_read, limit_exceeded.
  [[nodiscard]] Result<bool> next();
  [[nodiscard]] bool has(std::size_t column) const { return place_[column] >= 0; }
  /// A whole number; nothing for NULL, texts, and numbers with a fraction.
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const;
  /// Valid until the next row; nothing for NULL and what is not text.
  [[nodiscard]] std::optional<std::string_view> text(std::size_t column) const;
  /// The same for bytes (stored as such, or as text).
  [[nodiscard]] std::optional<std::string_view> bytes(std::size_t column) const;

 private:
  std::vector<int> place_;  // of each column in the statement; -1 = not there
  std::optional<Statement> statement_;
};

/// Finds texts by a whole number that is their key.
class TextByKey {
 public:
  [[nodiscard]] static Result<TextByKey> of(Database& database, std::string_view table,
                                            std::string_view key, std::string_view text);

  /// Valid until the next call; nothing when there is none. Errc: as Rows::next.
  [[nodiscard]] Result<std::optional<std::string_view>> find(std::int64_t key);

 private:
  explicit TextByKey(Statement statement) : statement_(std::move(statement)) {}

  Statement statement_;
};

}  // namespace orrery::sqlite
