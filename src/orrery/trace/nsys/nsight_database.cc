// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/nsight_database.h"

#include <algorithm>
#include <utility>

namespace orrery::trace::nsys {

namespace {

constexpr sqlite::FileExpectation kExport{
    "is not an SQLite database", "use a file written by 'nsys export --type sqlite'",
    "copy it again, or run 'nsys export --type sqlite' again"};

}  // namespace

Result<Database> open_export(const std::string& path) { return Database::open(path, kExport); }

Result<Database> open_export(std::span<const std::byte> bytes, std::string where) {
  return Database::in_memory(bytes, std::move(where), kExport);
}

bool is_nsight_table(std::string_view name) {
  return name.starts_with("CUPTI_ACTIVITY_KIND_") || name == "NVTX_EVENTS" || name == "StringIds" ||
         name.starts_with("TARGET_INFO_");
}

bool has_nsight_tables(const std::string& path) {
  sqlite::FileExpectation any = kExport;
  any.cut = true;  // the reader of the file reports it
  const auto database = Database::open(path, any);
  if (!database) return false;
  return std::any_of(database->tables().begin(), database->tables().end(), is_nsight_table);
}

}  // namespace orrery::trace::nsys
