// SPDX-License-Identifier: Apache-2.0
//
// The columns of a table, each declared once: people get a heading and text, programs a key and a
// value.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "orrery/report/answer/value.h"

namespace orrery::report {

enum class Align : std::uint8_t {
  by_value,  ///< numbers to the right
  left,
  right
};

/// One column of a table whose rows are `Row`s.
template <class Row>
struct Column {
  std::string title;  ///< heading
  std::string key;    ///< in JSON; empty: only for people
  bool shown = true;  ///< false: only for programs
  std::function<Value(const Row&)> value{};
  std::function<std::string(const Row&)> text{};  ///< for people, if not the value's own text
  std::function<void(JsonWriter&, const Row&)> nested{};
  Align align = Align::by_value;
  bool omits_null = false;

  /// What people read in this column of a row.
  [[nodiscard]] std::string cell(const Row& row) const {
    return text ? text(row) : value(row).text();
  }
};

template <class Row>
class Columns {
 public:
  using GetValue = std::function<Value(const Row&)>;
  using GetText = std::function<std::string(const Row&)>;

  /// For people and programs. `text`: if the text does not follow from the value.
  Columns& add(std::string title, std::string key, GetValue value, GetText text = {}) {
    columns_.push_back({.title = std::move(title),
                        .key = std::move(key),
                        .value = std::move(value),
                        .text = std::move(text)});
    return *this;
  }
  /// For people: text, aligned as `align` says.
  Columns& show(std::string title, GetText text, Align align = Align::left) {
    columns_.push_back(
        {.title = std::move(title), .key = {}, .text = std::move(text), .align = align});
    return *this;
  }
  /// The same, aligned like numbers.
  Columns& show_number(std::string title, GetText text) {
    return show(std::move(title), std::move(text), Align::right);
  }
  /// For programs.
  Columns& field(std::string key, GetValue value) {
    columns_.push_back(
        {.title = {}, .key = std::move(key), .shown = false, .value = std::move(value)});
    return *this;
  }
  /// For programs: a list or an object; `write` writes the value of `key`.
  Columns& nested(std::string key, std::function<void(JsonWriter&, const Row&)> write) {
    columns_.push_back(
        {.title = {}, .key = std::move(key), .shown = false, .nested = std::move(write)});
    return *this;
  }
  /// For programs: members written into the row's object itself.
  Columns& members(std::function<void(JsonWriter&, const Row&)> write) {
    return nested({}, std::move(write));
  }
  /// Omits the key of the last column where its value is null.
  Columns& omit_null() {
    columns_.back().omits_null = true;
    return *this;
  }
  Columns& align(Align align) {
    columns_.back().align = align;
    return *this;
  }

  [[nodiscard]] const std::vector<Column<Row>>& list() const { return columns_; }

 private:
  std::vector<Column<Row>> columns_;
};

/// 0 … count - 1, for columns whose rows are places in lists.
[[nodiscard]] inline std::vector<std::size_t> row_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// The members of a row's object, without its braces.
template <class Row>
void write_members(JsonWriter& json, const Row& row, const Columns<Row>& columns) {
  for (const Column<Row>& column : columns.list()) {
    if (column.nested) {
      if (!column.key.empty()) json.key(column.key);
      column.nested(json, row);
    } else if (!column.key.empty()) {
      const Value value = column.value(row);
      if (value.is_null() && column.omits_null) continue;
      value.write(json.key(column.key));
    }
  }
}

template <class Row>
void write_object(JsonWriter& json, const Row& row, const Columns<Row>& columns) {
  json.begin_object();
  write_members(json, row, columns);
  json.end_object();
}

/// Writes a list that is a member of a row: for Columns::nested.
template <class Row, class T>
[[nodiscard]] auto write_list(std::vector<T> Row::*list) {
  return [list](JsonWriter& json, const Row& row) { write_values(json, row.*list); };
}

/// A list of objects. O(rows × columns).
template <class Range, class Row>
void write_rows(JsonWriter& json, const Range& rows, const Columns<Row>& columns) {
  json.begin_array();
  for (const Row& row : rows) write_object(json, row, columns);
  json.end_array();
}

}  // namespace orrery::report
