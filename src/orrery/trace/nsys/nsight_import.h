// SPDX-License-Identifier: Apache-2.0
//
// Private to nsys: builds a profile from the tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/profile/profile.h"
#include "orrery/trace/nsys/nccl_payload.h"
#include "orrery/trace/nsys/nsight_database.h"
#include "orrery/trace/nsys/reader.h"
#include "orrery/trace/tables/table_import.h"

namespace orrery::trace::nsys {

/// Nsight's serialized ids of processes and threads: the process is above the 24 bits of the
/// thread.
[[nodiscard]] constexpr std::int64_t process_of(std::int64_t global) {
  return (global >> 24) & 0xFFFFFF;
}

[[nodiscard]] constexpr std::int64_t thread_of(std::int64_t global) { return global & 0xFFFFFF; }

class Import : private tables::TableImport {
 public:
  Import(Database& database, const ReadOptions& options, Findings& findings);

  /// Reads all tables. The result is indexed.
  [[nodiscard]] Result<profile::Profile> run();

 private:
  using ThreadId = tables::ThreadId;
  /// The recording of a CUDA event.
  struct EventRecord {
    std::int64_t correlation = 0;
    std::int64_t stream = -1;
    std::int64_t device = -1;
  };

  // One function per group of tables; each counts its rows
  Result<void> read_facts();
  Result<void> read_devices();
  Result<void> read_kernels();
  Result<void> read_copies();
  Result<void> read_memsets();
  Result<void> read_graphs();
  Result<void> read_calls(std::string_view table);
  Result<void> read_overhead(std::string_view table);
  Result<void> read_library(std::string_view table);
  Result<void> read_mpi(std::string_view table);
  Result<void> read_ranges();
  Result<void> read_event_records();
  Result<void> read_syncs();
  Result<void> read_thread_names();
  Result<void> read_mpi_ranks();
  Result<void> count_other_tables();

  /// TableImport::for_rows, which also remembers the table.
  template <class Use>
  Result<void> for_rows(std::string_view table, std::span<const std::string_view> columns,
                        Use use) {
    seen_tables_.emplace(table);
    return TableImport::for_rows(table, columns, std::move(use));
  }
  /// The thread of a serialized id.
  [[nodiscard]] ThreadId thread_id(std::optional<std::int64_t> global);
  [[nodiscard]] StringId launch_of(const Rows& rows);
  [[nodiscard]] Result<StringId> kernel_name(const Rows& rows);
  Result<std::optional<profile::EventId>> add_named(const Rows& rows, profile::Kind kind,
                                                    std::string_view otherwise);
  /// Adds a work from the columns that all tables of device work share. Null: omitted.
  profile::Work* add_device_work(profile::Kind kind, StringId name, const Rows& rows,
                                 const ThreadId& thread, std::int64_t bytes);
  [[nodiscard]] const EventRecord* record_before(const ThreadId& thread, std::int64_t event,
                                                 std::optional<std::int64_t> pairing,
                                                 std::int64_t before) const;
  [[nodiscard]] Result<Payload> payload_of(Rows& rows, const PayloadSchemas& schemas);
  std::uint32_t add_nccl(StringId name, const Payload& payload);
  std::uint32_t group_of(std::uint64_t communicator);
  void note_communicator(const Payload& payload);
  void find_rank();

  const ReadOptions& options_;
  std::map<std::uint64_t, std::uint32_t> communicators_;  // group by communicator
  std::map<std::uint64_t, std::set<std::int64_t>>
      ranks_of_communicator_;  // ranks seen, by communicator
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<EventRecord>>
      records_of_event_;  // by event
  std::map<std::int64_t, EventRecord>
      record_of_pairing_;  // by the id that pairs the record with a sync
  std::set<std::string, std::less<>> seen_tables_;
};

}  // namespace orrery::trace::nsys
