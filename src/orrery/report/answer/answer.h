// SPDX-License-Identifier: Apache-2.0
//
// What a command answers, stated once: labels and sentences for people, keys and values for
// programs. A function that states an answer receives an Answer; its form decides whether the
// statements become text, JSON or lines of a page. Texts of columns are made only for text.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/report/answer/columns.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

/// How a table looks for people.
struct TableLayout {
  std::size_t limit = std::numeric_limits<std::size_t>::max();  ///< rows; then "and N more"
  std::string_view rest = "more (--json)";                      ///< after "and N "
  std::string_view if_empty = {};                               ///< a line in place of no rows
  bool headings_if_empty = false;                               ///< headings without rows
  std::size_t width = kWidth;
};

class Answer {
 public:
  using Lines = std::vector<std::pair<std::string, std::string>>;

  /// Text for a terminal.
  explicit Answer(Style style) : style_(style) {}
  /// Members of the object that `json` is in.
  explicit Answer(JsonWriter& json) : json_(&json) {}
  /// Labels and sentences for a page.
  explicit Answer(Lines& lines) : lines_(&lines) {}

  [[nodiscard]] bool is_json() const { return json_ != nullptr; }
  [[nodiscard]] bool is_page() const { return lines_ != nullptr; }
  [[nodiscard]] Style style() const { return style_; }
  /// What people read, up to now.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Findings& stated_findings() const { return findings_; }

  // For people.

  /// A line in bold.
  Answer& title(std::string_view text) { return first(style_.strong(text)); }
  /// A line as it is, where a title would be.
  Answer& first(std::string_view text);
  Answer& line(std::string_view label, std::string_view sentence);
  /// A line after an empty one; a table follows it directly.
  Answer& heading(std::string_view text);
  /// A line that follows a table directly.
  Answer& note(std::string_view text);
  /// Complete lines, after an empty one. Empty: nothing.
  Answer& block(std::string_view text);
  /// What follows is separated by an empty line.
  Answer& end_section();
  /// Columns that labels have from here on.
  Answer& label_width(std::size_t columns);

  // For programs.

  Answer& field(std::string_view key, const Value& value);
  /// Omitted where the value is null.
  Answer& optional_field(std::string_view key, const Value& value);
  template <class Range>
  Answer& list(std::string_view key, const Range& values) {
    if (json_ != nullptr) write_values(json_->key(key), values);
    return *this;
  }
  template <class Range, class Row>
  Answer& rows(std::string_view key, const Range& rows, const Columns<Row>& columns) {
    if (json_ != nullptr) write_rows(json_->key(key), rows, columns);
    return *this;
  }
  /// One row.
  template <class Row>
  Answer& object(std::string_view key, const Row& row, const Columns<Row>& columns) {
    if (json_ != nullptr) write_object(json_->key(key), row, columns);
    return *this;
  }
  /// `write(JsonWriter&)` writes the value of `key`.
  template <class Write>
  Answer& json(std::string_view key, const Write& write) {
    if (json_ != nullptr) write(json_->key(key));
    return *this;
  }
  /// `write(JsonWriter&)` writes members.
  template <class Write>
  Answer& members(const Write& write) {
    if (json_ != nullptr) write(*json_);
    return *this;
  }

  // For both.

  /// `state()` states the members of an object; people read its lines like others.
  template <class State>
  Answer& object(std::string_view key, const State& state) {
    if (json_ != nullptr) json_->key(key).begin_object();
    state();
    if (json_ != nullptr) json_->end_object();
    return *this;
  }
  /// The same; null where `exists` is false.
  template <class State>
  Answer& object_or_null(std::string_view key, bool exists, const State& state) {
    return exists ? object(key, state) : field(key, {});
  }
  /// A list of objects: `state(Answer&, item)` states the members of one. People read the lines and
  /// tables of all.
  template <class Range, class State>
  Answer& each(std::string_view key, const Range& items, const State& state) {
    if (json_ == nullptr) {
      for (const auto& item : items) state(*this, item);
      return *this;
    }
    json_->key(key).begin_array();
    for (const auto& item : items) {
      json_->begin_object();
      Answer object(*json_);
      state(object, item);
      json_->end_object();
    }
    json_->end_array();
    return *this;
  }
  Answer& row(std::string_view label, std::string_view key, const Value& value) {
    return line(label, value.text()).field(key, value);
  }
  Answer& row(std::string_view label, std::string_view key, const Value& value,
              std::string_view sentence) {
    return line(label, sentence).field(key, value);
  }
  /// A table, and a list of objects. An empty key: only for people. No column is shown: only for
  /// programs.
  template <class Range, class Row>
  Answer& table(std::string_view key, const Range& rows, const Columns<Row>& columns,
                const TableLayout& layout = {}) {
    if (json_ != nullptr) {
      if (!key.empty()) write_rows(json_->key(key), rows, columns);
    } else if (lines_ == nullptr) {
      show_table(rows, columns, layout);
    }
    return *this;
  }
  /// Lines for people; programs find them in the envelope.
  Answer& findings(const Findings& findings);

 private:
  enum class Last : std::uint8_t { nothing, line, heading, block };

  void separate(bool from_lines);
  void append_table(const Table& table, std::size_t rows, const TableLayout& layout);
  template <class Range, class Row>
  void show_table(const Range& rows, const Columns<Row>& columns, const TableLayout& layout) {
    std::vector<const Column<Row>*> shown;
    std::vector<Table::Column> headings;
    for (const Column<Row>& column : columns.list()) {
      if (!column.shown) continue;
      shown.push_back(&column);
      headings.push_back({column.title, column.align == Align::right});
      for (auto row = std::begin(rows); column.align == Align::by_value && row != std::end(rows);
           ++row) {
        const Value value = column.value(*row);
        if (value.is_null()) continue;
        headings.back().right = value.is_number();
        break;
      }
    }
    if (shown.empty()) return;
    Table table(std::move(headings));
    std::size_t count = 0;
    for (const Row& row : rows) {
      if (++count > layout.limit) continue;
      std::vector<std::string> cells;
      for (const Column<Row>* column : shown) cells.push_back(column->cell(row));
      table.row(std::move(cells));
    }
    append_table(table, count, layout);
  }

  Style style_;
  JsonWriter* json_ = nullptr;
  Lines* lines_ = nullptr;
  std::string text_;
  Findings findings_;
  std::size_t label_width_ = 14;
  Last last_ = Last::nothing;
};

/// Something that states an answer.
using StateAnswer = std::function<void(Answer&)>;

[[nodiscard]] std::string answer_text(const StateAnswer& state, Style style);
/// With the envelope.
[[nodiscard]] std::string answer_json(std::string_view command, const StateAnswer& state);

}  // namespace orrery::report
