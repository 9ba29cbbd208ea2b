// SPDX-License-Identifier: Apache-2.0
//
// What recordings kept in databases have in common: rows of tables become events of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "orrery/profile/profile.h"
#include "orrery/sqlite/table_rows.h"

namespace orrery::trace::tables {

/// Who did something.
struct Actor {
  std::int64_t process = -1;  ///< -1 = not said
  std::int64_t thread = 0;
  std::uint32_t index = 0;  ///< of the process, by appearance; 0 if not said
};

/// A profile in the making. Every row that is read becomes an event, something else (`mapped`), or
/// is left out and counted.
class TableImport {
 protected:
  TableImport(sqlite::Database& database, std::shared_ptr<StringPool> strings, std::string format,
              std::optional<std::int64_t> only, Findings& findings);
  ~TableImport() = default;

  /// Calls `use` for each row of a table, which may lack any of the columns, or itself. `plain` is
  /// what the table is called in findings.
  template <class Use>
  Result<void> for_rows(std::string_view table, std::span<const std::string_view> columns, Use use,
                        std::string_view plain = {}) {
    table_ = plain.empty() ? table : plain;
    auto rows = sqlite::Rows::of(database_, table, columns);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    while (true) {
      const auto there = rows->next();
      if (!there) return tl::unexpected(there.error());
      if (!*there) return {};
      ++profile_.account.records;
      if (auto used = use(*rows); !used) return used;
    }
  }

  [[nodiscard]] Actor actor(std::int64_t process, std::int64_t thread);
  /// Counts the row where only another process counts.
  [[nodiscard]] bool wanted(const Actor& actor);
  /// Correlation ids of several processes, told apart; kNoId for what is none.
  [[nodiscard]] std::uint64_t correlation(std::optional<std::int64_t> number, const Actor& actor);
  [[nodiscard]] std::uint32_t stream_lane(std::int64_t device, std::int64_t stream,
                                          const Actor& actor);
  [[nodiscard]] std::uint32_t thread_lane(const Actor& actor);
  /// Adds an event with its times, or counts why not. Nothing: left out.
  std::optional<profile::EventId> add(profile::Kind kind, std::uint32_t lane, StringId name,
                                      std::optional<std::int64_t> start,
                                      std::optional<std::int64_t> end);
  void add_op(profile::EventId event, std::uint32_t comm = profile::kNone);
  void add_call(profile::EventId event, std::uint64_t correlation);
  /// Valid until the next one.
  profile::Work& add_work(profile::EventId event, std::uint64_t correlation, std::int64_t bytes);
  void leave_out(std::string_view what, FindingCode code, std::uint64_t count = 1);
  [[nodiscard]] StringId intern(std::string_view text);
  /// From now on names are those of this table.
  Result<void> open_names(std::string_view table, std::string_view key, std::string_view text);
  /// Empty for an id that is none, or that nothing stands behind.
  [[nodiscard]] Result<StringId> name_of(std::optional<std::int64_t> id);
  /// Ends what has no end, settles origin and account, and indexes.
  [[nodiscard]] profile::Profile finish();

  sqlite::Database& database_;
  profile::Profile profile_;
  Findings& findings_;
  std::string table_;  // being read

 private:
  [[nodiscard]] Time since_origin(std::int64_t nanoseconds);
  void finish_ranges();

  std::optional<sqlite::TextByKey> names_;  // when the id of names is a key
  std::unordered_map<std::int64_t, StringId> name_cache_;
  std::optional<std::int64_t> only_;                    // the process that counts
  std::map<std::int64_t, std::uint32_t> processes_;     // index by process
  std::map<std::int64_t, std::uint32_t> device_owner_;  // the first process seen on a device
  std::optional<std::int64_t> base_;                    // subtracted from all times
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  Time last_end_{};
};

}  // namespace orrery::trace::tables
