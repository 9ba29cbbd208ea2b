// SPDX-License-Identifier: Apache-2.0
//
// Opens an export of Nsight Systems, as an untrusted database.
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

/// True if exports have a table of this name.
[[nodiscard]] bool is_nsight_table(std::string_view name);
/// True if the file is an SQLite database with one of Nsight's tables, even if it is cut off.
[[nodiscard]] bool has_nsight_tables(const std::string& path);

/// Opens an export. Errc: as sqlite::Database::open.
[[nodiscard]] Result<Database> open_export(const std::string& path);
/// Opens an export from its bytes, which must outlive the database.
[[nodiscard]] Result<Database> open_export(std::span<const std::byte> bytes, std::string where);

}  // namespace orrery::trace::nsys
