// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/run_columns.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "orrery/core/text/suggest.h"
#include "orrery/result/run_file/run_tables.h"

namespace orrery::result {

namespace {

DataColumn empty_column(const Column& declared) {
  DataColumn column;
  column.name = declared.name;
  column.type = declared.declaration.starts_with("REAL")   ? ColumnType::real
                : declared.declaration.starts_with("TEXT") ? ColumnType::text
                                                           : ColumnType::integer;
  column.may_be_null = declared.declaration.find("NOT NULL") == std::string_view::npos &&
                       declared.declaration.find("PRIMARY KEY") == std::string_view::npos;
  if (column.type == ColumnType::text) column.offsets.push_back(0);
  return column;
}

/// Collects the rows of one table.
class ColumnRows {
 public:
  explicit ColumnRows(const Table& declared) {
    table_.name = declared.name;
    for (const Column& column : declared.columns)
      if (!generated(column)) table_.columns.push_back(empty_column(column));
    begin_row();
  }

  void null() {
    ++column().nulls;
    put_valid(false);
    put_empty();
  }
  void integer(std::int64_t value) {
    put_valid(true);
    if (column().type == ColumnType::real)
      column().reals.push_back(static_cast<double>(value));
    else
      column().integers.push_back(value);
    ++at_;
  }
  void real(double value) {
    put_valid(true);
    column().reals.push_back(value);
    ++at_;
  }
  void text(std::string_view value) {
    put_valid(true);
    column().texts += value;
    column().offsets.push_back(static_cast<std::int64_t>(column().texts.size()));
    ++at_;
  }
  /// Missing columns get their default: NULL, or 0 if the column cannot be NULL.
  void end_row() {
    while (at_ < table_.columns.size())
      if (column().may_be_null)
        null();
      else
        integer(0);
    ++table_.rows;
    begin_row();
  }

  [[nodiscard]] DataTable finish() {
    table_.columns.front().integers.pop_back();  // of the row that begin_row() started
    return std::move(table_);
  }

 private:
  DataColumn& column() { return table_.columns[at_]; }
  void put_valid(bool valid) {
    if (!column().may_be_null) return;
    const auto row = static_cast<std::size_t>(table_.rows);
    if (row % 8 == 0) column().valid.push_back(0);
    if (valid) column().valid.back() |= static_cast<std::uint8_t>(1u << row % 8);
  }
  void put_empty() {
    DataColumn& here = column();
    if (here.type == ColumnType::integer)
      here.integers.push_back(0);
    else if (here.type == ColumnType::real)
      here.reals.push_back(0);
    else
      here.offsets.push_back(static_cast<std::int64_t>(here.texts.size()));
    ++at_;
  }
  void begin_row() {
    at_ = 0;
    integer(table_.rows);  // the key
  }

  DataTable table_;
  std::size_t at_ = 0;
};

class ColumnSink {
 public:
  using Rows = ColumnRows;
  static constexpr auto kTables = &tables;

  explicit ColumnSink(std::string_view name) : name_(name) {}
  [[nodiscard]] bool wants(std::string_view name) const { return name == name_; }
  [[nodiscard]] bool is_writable() const { return true; }
  [[nodiscard]] ColumnRows begin(const Table& table) { return ColumnRows(table); }
  void end(const Table&, ColumnRows& rows) { table_ = rows.finish(); }
  [[nodiscard]] DataTable take() { return std::move(*table_); }

 private:
  std::string_view name_;
  std::optional<DataTable> table_;
};

}  // namespace

std::vector<std::string_view> run_table_names() {
  std::vector<std::string_view> names;
  for (const Table& table : tables()) names.push_back(table.name);
  return names;
}

Result<DataTable> run_table(const Run& run, std::string_view name) {
  const auto names = run_table_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return fail(Errc::usage, std::string(name), "a run has no such table",
                did_you_mean(name, names));
  ColumnSink sink(name);
  RunTables(run, sink).write();
  return sink.take();
}

}  // namespace orrery::result
