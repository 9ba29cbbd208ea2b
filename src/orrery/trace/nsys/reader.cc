// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/reader.h"

#include <array>
#include <set>

#include "orrery/core/check.h"
#include "orrery/trace/nsys/nsight_import.h"

namespace orrery::trace::nsys {

namespace {

Result<profile::Profile> import_profile(Result<Database> database, const ReadOptions& options,
                                        Findings& findings) {
  ORRERY_CHECK(options.strings != nullptr);
  if (!database) return tl::unexpected(std::move(database.error()));
  return Import(*database, options, findings).run();
}

}  // namespace

Result<profile::Profile> read(const std::string& path, const ReadOptions& options,
                              Findings& findings) {
  return import_profile(open_export(path), options, findings);
}

Result<profile::Profile> read(std::span<const std::byte> bytes, const std::string& where,
                              const ReadOptions& options, Findings& findings) {
  return import_profile(open_export(bytes, where), options, findings);
}

Result<std::vector<std::int64_t>> processes_in(const std::string& path) {
  auto database = open_export(path);
  if (!database) return tl::unexpected(std::move(database.error()));
  constexpr std::array<std::string_view, 1> kColumns = {"globalPid"};
  std::set<std::int64_t> found;
  for (const std::string_view table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "CUPTI_ACTIVITY_KIND_MEMCPY"}) {
    auto rows = Rows::of(*database, table, kColumns);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    while (true) {
      const auto there = rows->next();
      if (!there) return tl::unexpected(there.error());
      if (!*there) break;
      if (const auto global = rows->integer(0)) found.insert(process_of(*global));
    }
  }
  return std::vector<std::int64_t>(found.begin(), found.end());
}

}  // namespace orrery::trace::nsys
