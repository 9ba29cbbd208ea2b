// SPDX-License-Identifier: Apache-2.0
//
// The tables and views of a run file, declared once: what creates them, what reads them and the
// page docs/reference/run-file.md all come from here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::result {

/// PRAGMA application_id of a run file ("Orry").
inline constexpr std::uint32_t kApplicationId = 0x4f727279;

struct Column {
  std::string_view name;
  std::string_view declaration;  ///< as in CREATE TABLE; in a view: the expression it is
  std::string_view meaning;
};

/// The first column of every table is `id`, which counts its rows from 0.
struct Table {
  std::string_view name;
  std::string_view meaning;
  std::vector<Column> columns;
};

struct View {
  std::string_view name;
  std::string_view meaning;
  std::vector<Column> columns;
  std::string_view from;  ///< what follows SELECT … in it
};

/// In the order in which they are written and read.
[[nodiscard]] const std::vector<Table>& tables();
[[nodiscard]] const std::vector<View>& views();

/// The table named so; there must be one.
[[nodiscard]] const Table& table(std::string_view name);

/// Whether a column is computed from others instead of being stored.
[[nodiscard]] bool generated(const Column& column);

/// The statement that creates it, exactly as it stands in every run file.
[[nodiscard]] std::string create_sql(const Table& table);
[[nodiscard]] std::string create_sql(const View& view);

/// docs/reference/run-file.md.
[[nodiscard]] std::string run_file_reference();

}  // namespace orrery::result
