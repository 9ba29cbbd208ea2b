// SPDX-License-Identifier: Apache-2.0
//
// Private to nsys: what the tables are read into.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/profile/profile.h"
#include "orrery/trace/nsys/database.h"
#include "orrery/trace/nsys/payload.h"
#include "orrery/trace/nsys/reader.h"

namespace orrery::trace::nsys {

/// Nsight's serialized ids of processes and threads have the process above 24 bits of thread.
[[nodiscard]] constexpr std::int64_t process_of(std::int64_t global) {
  return (global >> 24) & 0xFFFFFF;
}

[[nodiscard]] constexpr std::int64_t thread_of(std::int64_t global) { return global & 0xFFFFFF; }

/// A profile in the making.
class Import {
 public:
  Import(Database& database, const ReadOptions& options, Findings& findings);

  /// Reads everything. The result is indexed.
  [[nodiscard]] Result<profile::Profile> run();

 private:
  /// Who did something.
  struct Actor {
    std::int64_t process = -1;  ///< -1 = not said
    std::int64_t thread = 0;
    std::uint32_t index = 0;  ///< of the process, by appearance; 0 if not said
  };
  /// The recording of a CUDA event.
  struct Record {
    std::int64_t correlation = 0;
    std::int64_t stream = -1;
    std::int64_t device = -1;
  };

  // One function per group of tables, each counting its rows
  Result<void> read_facts();
  Result<void> read_devices();
  Result<void> read_kernels();
  Result<void> read_copies();
  Result<void> read_sets();
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

  // What they use
  /// Calls `use` for each row of a table, which may lack any of the columns, or itself.
  template <class Use>
  Result<void> for_rows(std::string_view table, std::span<const std::string_view> columns,
                        Use use) {
    table_ = table;
    seen_tables_.insert(table_);
    auto rows = Rows::of(database_, table_, columns);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    while (true) {
      const auto there = rows->next();
      if (!there) return tl::unexpected(there.error());
      if (!*there) return {};
      ++profile_.account.records;
      if (auto used = use(*rows); !used) return used;
    }
  }
  [[nodiscard]] Result<StringId> name_of(std::optional<std::int64_t> id);
  Result<void> open_names();
  [[nodiscard]] Actor actor(std::optional<std::int64_t> global);
  [[nodiscard]] bool wanted(const Actor& actor, std::string_view table);
  [[nodiscard]] std::uint64_t correlation(std::optional<std::int64_t> number, const Actor& actor);
  [[nodiscard]] std::uint32_t stream_lane(std::int64_t device, std::int64_t stream,
                                          const Actor& actor);
  [[nodiscard]] std::uint32_t thread_lane(const Actor& actor);
  /// Adds an event with its times, or counts why not. Nothing: left out.
  std::optional<profile::EventId> add(profile::Kind kind, std::uint32_t lane, StringId name,
                                      std::optional<std::int64_t> start,
                                      std::optional<std::int64_t> end);
  [[nodiscard]] StringId launch_of(const Rows& rows);
  [[nodiscard]] Result<StringId> kernel_name(const Rows& rows);
  Result<std::optional<profile::EventId>> add_named(const Rows& rows, profile::Kind kind,
                                                    std::string_view otherwise);
  /// From what all tables of device work begin with. Null: left out.
  profile::Work* add_on_device(profile::Kind kind, StringId name, const Rows& rows,
                               const Actor& who, std::int64_t bytes);
  [[nodiscard]] const Record* record_before(const Actor& who, std::int64_t event,
                                            std::optional<std::int64_t> pairing,
                                            std::int64_t before) const;
  void add_op(profile::EventId event, std::uint32_t comm = profile::kNone);
  [[nodiscard]] Result<Payload> payload_of(Rows& rows, const PayloadSchemas& schemas);
  std::uint32_t add_nccl(StringId name, const Payload& payload);
  std::uint32_t group_of(std::uint64_t communicator);
  void note_communicator(const Payload& payload);
  void leave_out(std::string_view what, FindingCode code, std::uint64_t count = 1);
  [[nodiscard]] StringId intern(std::string_view text);
  [[nodiscard]] Time since_origin(std::int64_t nanoseconds);
  void finish_ranges();
  void find_rank();

  Database& database_;
  const ReadOptions& options_;
  profile::Profile profile_;
  Findings& findings_;
  std::string table_;  // being read

  std::optional<TextByKey> names_;  // StringIds, when its id is a key
  std::unordered_map<std::int64_t, StringId> name_cache_;

  std::map<std::int64_t, std::uint32_t> processes_;           // index by process
  std::map<std::int64_t, std::uint32_t> device_owner_;        // the first process seen on a device
  std::map<std::uint64_t, std::uint32_t> communicators_;      // group by communicator
  std::map<std::uint64_t, std::set<std::int64_t>> ranks_in_;  // ranks seen, by communicator
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<Record>> records_of_;  // by event
  std::map<std::int64_t, Record> record_of_pairing_;  // by the id that pairs it with a sync
  std::optional<std::int64_t> base_;                  // subtracted from all times
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  std::set<std::string, std::less<>> seen_tables_;
  Time last_end_{};
};

}  // namespace orrery::trace::nsys
