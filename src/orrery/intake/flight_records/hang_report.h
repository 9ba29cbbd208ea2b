// SPDX-License-Identifier: Apache-2.0
//
// What the flight recorders of all ranks show together: a timeline of collectives for each process
// group, and which of them are stuck, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/intake/flight_records/dump_files.h"

namespace orrery::intake {

/// How a collective or message ended.
enum class CallState : std::uint8_t {
  completed,  ///< on all ranks that recorded it
  /// On the ranks that recorded it; another rank has not called it: the dumps are of different
  /// moments.
  partly_recorded,
  stuck  ///< not completed on a rank
};
[[nodiscard]] std::string_view name(CallState state);

/// Why something is stuck.
enum class HangCause : std::uint8_t {
  none,                  ///< it is not stuck
  different_operations,  ///< ranks called different operations under one number
  different_sizes,
  different_types,
  not_called,     ///< ranks have not called it, and wait for nothing that is recorded
  waits,          ///< its ranks wait for another stuck operation first
  no_dump,        ///< all ranks with a dump called it; others have no dump
  not_completed,  ///< all ranks called it
  cycle           ///< its ranks wait for each other, in different orders
};
[[nodiscard]] std::string_view name(HangCause cause);

/// One collective of a group, or a message of two ranks, as all ranks recorded it. Lists of ranks
/// are ascending.
struct RecordedCall {
  std::uint32_t group = 0;  ///< in HangReport::groups
  std::int64_t sequence = 0;
  bool is_p2p = false;
  std::string operation;  ///< "all_reduce", "send 0->1" (ranks of the job)
  std::string tensors;    ///< of the first rank: "[1024, 4096] Float"
  std::vector<std::uint32_t> scheduled, started, completed;
  std::vector<std::uint32_t> not_called;
  std::vector<std::uint32_t> overwritten;  ///< the ring of the rank no longer contains it
  /// When the first rank called it, since the first record of all, and how much later the last one
  /// did. By the clocks of the hosts.
  Time first_call{}, call_spread{};
  std::optional<Time> shortest{}, longest{};  ///< kernel, as recorded
  CallState state = CallState::completed;
  HangCause cause = HangCause::none;
  std::string difference;              ///< between ranks, in words; also of completed collectives
  std::vector<std::size_t> waits_for;  ///< in HangReport::calls, ascending
};

/// The last operations of a group on one of its ranks, as the watchdog of the rank knew them
/// (trace::flight_recorder::GroupStatus); -1: none, or not in the dump.
struct RankStatus {
  std::int64_t enqueued = -1, started = -1, completed = -1;
};

struct RecordedGroup {
  std::string name, description;
  std::vector<std::uint32_t> ranks;
  bool ranks_listed = false;  ///< else: those that recorded it
  std::vector<std::uint32_t> without_dump;
  std::vector<RankStatus> statuses{};  ///< parallel to `ranks`
  std::uint64_t collectives = 0;
  std::int64_t first_sequence = 0, last_sequence = 0;
  std::optional<std::int64_t> completed_sequence{};  ///< the last one that all ranks completed
  std::uint64_t stuck = 0;                           ///< collectives and messages
};

/// The last call of a rank that is missing in a stuck operation.
struct LastCall {
  std::uint32_t rank = 0;
  bool has_calls = false;
  std::uint32_t group = 0;
  std::int64_t sequence = 0;
  std::string operation, call_site;
  bool completed = false;
};

struct HangReport {
  std::vector<std::string> versions;  ///< of the format; each once
  std::vector<std::uint32_t> ranks;   ///< with a dump
  std::uint64_t records = 0;
  std::vector<RecordedGroup> groups;
  /// Collectives by group and sequence, then messages that are not completed.
  std::vector<RecordedCall> calls;
  std::vector<std::size_t> stuck;    ///< those to look at first come first
  std::vector<LastCall> last_calls;  ///< of ranks that have not called what others wait for
  std::uint64_t partly_recorded = 0;
  bool knows_starts = false;  ///< TORCH_NCCL_ENABLE_TIMING was set
};

/// Collectives match by their group (its name and its ranks) and their sequence number. Messages
/// are matched only if they are not completed, in the order of each pair of ranks. O(records log
/// records).
[[nodiscard]] HangReport report_hangs(const std::vector<RankDump>& dumps);

}  // namespace orrery::intake
