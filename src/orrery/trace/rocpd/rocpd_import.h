// SPDX-License-Identifier: Apache-2.0
//
// Private to rocpd: builds a profile from the tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/profile/profile.h"
#include "orrery/trace/rocpd/reader.h"
#include "orrery/trace/rocpd/rocpd_database.h"
#include "orrery/trace/tables/table_import.h"

namespace orrery::trace::rocpd {

class Import : private tables::TableImport {
 public:
  Import(Database& database, const ReadOptions& options, Findings& findings);

  /// Reads all tables. The result is indexed.
  [[nodiscard]] Result<profile::Profile> run();
  /// Only finds the processes that used a device.
  [[nodiscard]] Result<std::vector<std::int64_t>> device_processes();

 private:
  using ThreadId = tables::ThreadId;
  struct Agent {
    std::int64_t number = 0;  ///< device number of the runtime
    bool device = false;
  };
  /// Columns that all rows with times have, in both layouts.
  struct Span {
    std::optional<std::int64_t> start, end;
    std::optional<std::int64_t> agent, queue, stream, event;
    ThreadId thread_id;
  };

  // One function per group of tables of a set; each counts its rows
  Result<void> read_facts();
  Result<void> read_threads();
  Result<void> read_agents();
  Result<void> read_kernel_names();
  Result<void> read_categories();
  Result<void> read_lookups();
  Result<void> read_regions();
  Result<void> read_kernels();
  Result<void> read_copies();
  Result<void> read_allocations();
  Result<void> count_samples();

  Result<void> in_each_set(std::span<Result<void> (Import::*const)()> steps);
  /// TableImport::for_rows for the current set; `plain` is the name of the table without suffix.
  template <class Use>
  Result<void> for_rows(std::string_view plain, std::span<const std::string_view> columns,
                        Use use) {
    return TableImport::for_rows(table_named(plain), columns, std::move(use), plain);
  }
  [[nodiscard]] std::string table_named(std::string_view plain) const;
  [[nodiscard]] Span span_of(const Rows& rows);
  [[nodiscard]] std::int64_t process_number(std::int64_t process);
  [[nodiscard]] std::uint64_t shared_correlation(const Span& span);
  [[nodiscard]] Result<StringId> category_of(const Span& span);
  [[nodiscard]] Result<StringId> range_name(const Span& span, StringId name);
  [[nodiscard]] std::int64_t device_of(std::optional<std::int64_t> agent) const;
  [[nodiscard]] bool is_device(std::optional<std::int64_t> agent) const;
  /// Adds a work. Null: omitted.
  profile::Work* add_device_work(profile::Kind kind, StringId name, const Span& span,
                                 std::int64_t device, std::int64_t bytes);
  Result<void> add_range(const Span& span, StringId name);

  std::vector<std::string> suffixes_;

  // Of the current set
  std::size_t set_ = 0;
  IntegerTable process_ids_, thread_ids_, tracks_, timestamps_, events_;
  std::map<std::int64_t, Agent> agents_;         // by id
  std::map<std::int64_t, StringId> kernels_;     // names by id
  std::map<std::int64_t, StringId> categories_;  // names by id
  std::optional<sqlite::TextByKey> details_;     // of events; set if their id is a key
  bool correlated_ = false;                      // events have correlation ids
  // Of all sets
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t>
      process_numbers_;  // by (set, process)
  // By process number: how many processes have it.
  std::map<std::int64_t, std::int64_t> processes_per_number_;
  ThreadNames thread_names_;
};

}  // namespace orrery::trace::rocpd
