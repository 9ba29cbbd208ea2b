// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/rocpd/reader.h"

#include "orrery/core/check.h"
#include "orrery/trace/rocpd/rocpd_import.h"

namespace orrery::trace::rocpd {

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
  return import_profile(open_database(path), options, findings);
}

Result<profile::Profile> read(std::span<const std::byte> bytes, const std::string& where,
                              const ReadOptions& options, Findings& findings) {
  return import_profile(open_database(bytes, where), options, findings);
}

Result<std::vector<std::int64_t>> processes_in(const std::string& path) {
  auto database = open_database(path);
  if (!database) return tl::unexpected(std::move(database.error()));
  Findings ignored;
  return Import(*database, {std::make_shared<StringPool>()}, ignored).device_processes();
}

}  // namespace orrery::trace::rocpd
