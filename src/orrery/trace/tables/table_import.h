// SPDX-License-Identifier: Apache-2.0
//
// Base of readers for databases: converts rows of tables to events of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "orrery/profile/profile.h"
#include "orrery/sqlite/table_rows.h"

namespace orrery::trace::tables {

/// The process and thread of a row.
struct ThreadId {
  std::int64_t process = -1;  ///< -1: unknown
  std::int64_t thread = 0;
  std::uint32_t index = 0;  ///< of the process, by first appearance; 0 if unknown
};

/// Builds a profile. Every row becomes an event or something else (`mapped`), or is omitted and
/// counted.
class TableImport {
 protected:
  TableImport(sqlite::Database& database, std::shared_ptr<StringPool> strings, std::string format,
              std::optional<std::int64_t> only, Findings& findings);
  ~TableImport() = default;

  /// Calls `use` for each row of a table. The table, or any of its columns, may be missing.
  /// `plain`: name of the table in findings.
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

  [[nodiscard]] ThreadId thread_id(std::int64_t process, std::int64_t thread);
  /// Returns whether the thread's process is read, and counts the row if not.
  [[nodiscard]] bool is_selected(const ThreadId& thread);
  /// Correlation id that is unique across processes; kNoId if there is none.
  [[nodiscard]] std::uint64_t correlation(std::optional<std::int64_t> number,
                                          const ThreadId& thread);
  [[nodiscard]] std::uint32_t stream_lane(std::int64_t device, std::int64_t stream,
                                          const ThreadId& thread);
  [[nodiscard]] std::uint32_t thread_lane(const ThreadId& thread);
  /// Adds an event, or counts why it is omitted (returns nothing).
  std::optional<profile::EventId> add(profile::Kind kind, std::uint32_t lane, StringId name,
                                      std::optional<std::int64_t> start,
                                      std::optional<std::int64_t> end);
  void add_op(profile::EventId event, std::uint32_t comm = profile::kNone);
  void add_call(profile::EventId event, std::uint64_t correlation);
  /// The reference is valid until the next call.
  profile::Work& add_work(profile::EventId event, std::uint64_t correlation, std::int64_t bytes);
  void leave_out(std::string_view what, FindingCode code, std::uint64_t count = 1);
  [[nodiscard]] StringId intern(std::string_view text);
  /// Selects the table for `name_of`.
  Result<void> open_names(std::string_view table, std::string_view key, std::string_view text);
  /// The name with this id; empty without an id or for an unknown id.
  [[nodiscard]] Result<StringId> name_of(std::optional<std::int64_t> id);
  /// By process and thread.
  using ThreadNames = std::map<std::pair<std::int64_t, std::int64_t>, StringId>;
  void name_threads(const ThreadNames& names);
  /// Sets missing ends, origin and account, and indexes the profile.
  [[nodiscard]] profile::Profile finish();

  sqlite::Database& database_;
  profile::Profile profile_;
  Findings& findings_;
  std::string table_;  // the table that is being read

 private:
  [[nodiscard]] Time since_origin(std::int64_t nanoseconds);
  void finish_ranges();

  std::optional<sqlite::TextByKey> names_;  // set if the id of names is a key
  std::unordered_map<std::int64_t, StringId> name_cache_;
  std::optional<std::int64_t> only_;                    // the only process that is read
  std::map<std::int64_t, std::uint32_t> processes_;     // index by process
  std::map<std::int64_t, std::uint32_t> device_owner_;  // the first process seen on a device
  std::optional<std::int64_t> base_;                    // subtracted from all times
  std::map<std::string, std::uint64_t> left_out_;
  Time last_end_{};
};

}  // namespace orrery::trace::tables
