// SPDX-License-Identifier: Apache-2.0
//
// Reads synchronizations and data of the complete recording.

#include <algorithm>
#include <array>

#include "orrery/core/enum_names.h"
#include "orrery/core/limits.h"
#include "orrery/trace/nsys/nsight_import.h"

namespace orrery::trace::nsys {
namespace {

using profile::Kind;
using profile::SyncKind;

/// Empty for CUPTI's value "does not apply", in any exported width; else the number.
std::int64_t applicable(std::optional<std::int64_t> value) {
  if (!value || *value < 0 || *value == 0xFFFFFFFF) return -1;
  return *value;
}

SyncKind nsight_sync_kind(std::int64_t type) {
  constexpr std::array<SyncKind, 5> kKinds = {SyncKind::unknown, SyncKind::event,
                                              SyncKind::stream_wait, SyncKind::stream,
                                              SyncKind::context};
  if (type < 0 || type >= static_cast<std::int64_t>(kKinds.size())) return SyncKind::unknown;
  return kKinds[static_cast<std::size_t>(type)];
}

std::string_view sync_name(SyncKind kind) {
  constexpr auto kNames = enumerator_names<SyncKind::stream_wait>(
      "Synchronization", "Event Sync", "Stream Sync", "Context Sync", "Stream Wait Event");
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

/// Reads the recordings of CUDA events, by event (in newer exports also by the id that pairs them
/// with waits).
Result<void> Import::read_event_records() {
  constexpr std::array<std::string_view, 6> kColumns = {"eventId",  "correlationId", "streamId",
                                                        "deviceId", "globalPid",     "eventSyncId"};
  auto done = for_rows("CUPTI_ACTIVITY_KIND_CUDA_EVENT", kColumns, [&](Rows& rows) -> Result<void> {
    const ThreadId thread = thread_id(rows.integer(4));
    if (!is_selected(thread)) return {};
    const std::int64_t event = applicable(rows.integer(0));
    const auto number = rows.integer(1);
    if (event < 0 || !number) {
      leave_out(table_, FindingCode::event_dropped);
      return {};
    }
    const EventRecord record{*number, applicable(rows.integer(2)), applicable(rows.integer(3))};
    records_of_event_[{thread.index, event}].push_back(record);
    if (const auto pairing = rows.integer(5); pairing && *pairing > 0)
      record_of_pairing_.insert_or_assign(*pairing, record);
    ++profile_.account.mapped;
    return {};
  });
  if (!done) return done;
  for (auto& [event, records] : records_of_event_) {
    std::stable_sort(
        records.begin(), records.end(),
        [](const EventRecord& a, const EventRecord& b) { return a.correlation < b.correlation; });
  }
  return {};
}

Result<void> Import::read_syncs() {
  constexpr std::array<std::string_view, 9> kColumns = {"start",    "end",           "deviceId",
                                                        "streamId", "correlationId", "globalPid",
                                                        "syncType", "eventId",       "eventSyncId"};
  std::size_t on_events = 0;
  std::size_t resolved = 0;
  auto done =
      for_rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kColumns, [&](Rows& rows) -> Result<void> {
        const ThreadId thread = thread_id(rows.integer(5));
        if (!is_selected(thread)) return {};
        profile::Sync sync;
        sync.kind = nsight_sync_kind(rows.integer(6).value_or(0));
        sync.device = applicable(rows.integer(2));
        sync.correlation = correlation(rows.integer(4), thread);
        const std::int64_t stream = applicable(rows.integer(3));
        const std::uint32_t lane =
            stream_lane(std::max<std::int64_t>(sync.device, 0), stream, thread);
        sync.stream = profile_.lanes[lane].id;
        const auto event =
            add(Kind::sync, lane, intern(sync_name(sync.kind)), rows.integer(0), rows.integer(1));
        if (!event) return {};
        if (sync.kind == SyncKind::event || sync.kind == SyncKind::stream_wait) {
          ++on_events;
          const EventRecord* record = record_before(thread, applicable(rows.integer(7)),
                                                    rows.integer(8), rows.integer(4).value_or(0));
          if (record != nullptr) {
            ++resolved;
            sync.record_correlation = correlation(record->correlation, thread);
            const std::int64_t device = record->device >= 0 ? record->device : sync.device;
            sync.wait_on_stream =
                profile_
                    .lanes[stream_lane(std::max<std::int64_t>(device, 0), record->stream, thread)]
                    .id;
          }
        }
        if (sync.kind == SyncKind::event || sync.kind == SyncKind::context) sync.stream = -1;
        profile_.events[*event].detail = static_cast<std::uint32_t>(profile_.syncs.size());
        profile_.syncs.push_back(sync);
        return {};
      });
  if (!done) return done;
  // Waits on unknown events contain no more than the calls do.
  profile_.has_sync_events = !profile_.syncs.empty() && (on_events == 0 || resolved > 0);
  return {};
}

/// The recording that a wait refers to: the paired one, else the event's last one before the wait
/// (correlation ids ascend).
const Import::EventRecord* Import::record_before(const ThreadId& thread, std::int64_t event,
                                                 std::optional<std::int64_t> pairing,
                                                 std::int64_t before) const {
  if (pairing && *pairing > 0) {
    const auto paired = record_of_pairing_.find(*pairing);
    if (paired != record_of_pairing_.end()) return &paired->second;
  }
  const auto found = records_of_event_.find({thread.index, event});
  if (event < 0 || found == records_of_event_.end()) return nullptr;
  const auto& records = found->second;
  const auto behind =
      std::partition_point(records.begin(), records.end(),
                           [&](const EventRecord& record) { return record.correlation < before; });
  return behind == records.begin() ? nullptr : &*std::prev(behind);
}

Result<void> Import::read_facts() {
  constexpr std::array<std::string_view, 1> kStart = {"utcEpochNs"};
  auto done = for_rows("TARGET_INFO_SESSION_START_TIME", kStart, [&](Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    if (const auto epoch = rows.integer(0); epoch && *epoch > 0 && *epoch >> 61 == 0)
      profile_.origin_ns = *epoch;
    return {};
  });
  constexpr std::array<std::string_view, 2> kPairs = {"name", "value"};
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    if (!done) return done;
    done = for_rows(table, kPairs, [&](Rows& rows) -> Result<void> {
      ++profile_.account.mapped;
      const std::string name(rows.text(0).value_or("").substr(0, 256));
      const std::string value(rows.text(1).value_or("").substr(0, 4096));
      if (name == "EXPORT_SCHEMA_VERSION") profile_.schema = value;
      if (name.find("VERSION") != name.npos) profile_.facts.emplace_back(name, value);
      return {};
    });
  }
  return done;
}

Result<void> Import::read_thread_names() {
  constexpr std::array<std::string_view, 2> kColumns = {"globalTid", "nameId"};
  ThreadNames names;
  auto done = for_rows("ThreadNames", kColumns, [&](Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const auto name = name_of(rows.integer(1));
    if (!name) return tl::unexpected(name.error());
    if (const auto global = rows.integer(0))
      names[{process_of(*global), thread_of(*global)}] = *name;
    return {};
  });
  if (!done) return done;
  name_threads(names);
  return {};
}

/// Reads the rank of each thread from the MPI records.
Result<void> Import::read_mpi_ranks() {
  constexpr std::array<std::string_view, 2> kColumns = {"globalTid", "rank"};
  std::set<std::int64_t> ranks;
  auto done = for_rows("MPI_RANKS", kColumns, [&](Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const ThreadId thread = thread_id(rows.integer(0));
    const auto rank = rows.integer(1);
    const bool ours = !options_.process || thread.process == *options_.process;
    if (ours && rank && *rank >= 0 && *rank < static_cast<std::int64_t>(limits::kRanks))
      ranks.insert(*rank);
    return {};
  });
  if (done && ranks.size() == 1) profile_.rank = static_cast<std::uint32_t>(*ranks.begin());
  return done;
}

/// Counts rows of tables with times that the model does not use (samples, scheduling, system calls
/// …).
Result<void> Import::count_other_tables() {
  constexpr std::array<std::string_view, 1> kColumns = {"start"};
  for (const std::string& table : database_.tables()) {
    if (seen_tables_.count(table) != 0 || table.starts_with("sqlite_")) continue;
    const auto there = database_.columns(table);
    if (!there) return tl::unexpected(there.error());
    if (std::find(there->begin(), there->end(), "start") == there->end()) continue;
    std::uint64_t count = 0;
    auto done = for_rows(table, kColumns, [&](Rows&) -> Result<void> {
      ++count;
      return {};
    });
    if (!done) return done;
    if (count > 0) leave_out(table, FindingCode::event_not_kept, count);
  }
  return {};
}

}  // namespace orrery::trace::nsys
