// SPDX-License-Identifier: Apache-2.0
//
// An export of Nsight Systems as a database that anybody may have made.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "orrery/sqlite/table_rows.h"

namespace orrery::trace::nsys {

using sqlite::Database;
using sqlite::Rows;
using sqlite::TextByKey;

/// Whether a table of that name is one of an export's.
[[nodiscard]] bool is_nsight_table(std::string_view name);
/// True if the file is an SQLite database with one of Nsight's tables, be it cut off. False for
/// anything else.
[[nodiscard]] bool has_nsight_tables(const std::string& path);

/// Opens an export. Errc: as sqlite::Database::open.
[[nodiscard]] Result<Database> open_export(const std::string& path);
/// The same from its bytes, which must outlive it.
[[nodiscard]] Result<Database> open_export(std::span<const std::byte> bytes, std::string where);

}  // namespace orrery::trace::nsys
