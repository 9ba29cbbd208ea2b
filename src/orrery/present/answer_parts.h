// SPDX-License-Identifier: Apache-2.0
//
// The columns of a part of each row.
#pragma once

#include <functional>
#include <string>

#include "orrery/report/answer/columns.h"

namespace orrery::present {

/// The columns of a part of each row, aligned like numbers; `part(row)` points to it, null where a
/// row has none. People read `none` there.
template <class Row, class Part, class GetPart>
void show_part(report::Columns<Row>& columns, const report::Columns<Part>& part_columns,
               GetPart part, const std::string& none = "-") {
  for (const report::Column<Part>& column : part_columns.list()) {
    if (!column.shown) continue;
    const auto text = [=](const Row& row) {
      const Part* of_row = std::invoke(part, row);
      if (of_row == nullptr) return none;
      return column.cell(*of_row);
    };
    columns.show_number(column.title, text);
  }
}

/// For programs: the object `key` of each row, null where a row has no such part. An empty key: the
/// members of the part are members of the row.
template <class Row, class Part, class GetPart>
void nest_part(report::Columns<Row>& columns, const std::string& key,
               const report::Columns<Part>& part_columns, GetPart part) {
  columns.nested(key, [=](report::JsonWriter& json, const Row& row) {
    const Part* of_row = std::invoke(part, row);
    if (of_row == nullptr) {
      if (!key.empty()) json.null();
      return;
    }
    key.empty() ? write_members(json, *of_row, part_columns)
                : write_object(json, *of_row, part_columns);
  });
}

/// Both.
template <class Row, class Part, class GetPart>
void add_part(report::Columns<Row>& columns, const std::string& key,
              const report::Columns<Part>& part_columns, GetPart part) {
  show_part(columns, part_columns, part);
  nest_part(columns, key, part_columns, part);
}

}  // namespace orrery::present
