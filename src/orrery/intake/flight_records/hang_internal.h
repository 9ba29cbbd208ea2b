// SPDX-License-Identifier: Apache-2.0
//
// Parts of report_hangs().
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/intake/flight_records/hang_report.h"

namespace orrery::intake {

/// The records of one rank that belong to one call: several in a coalesced collective.
struct RankPart {
  std::uint32_t dump = 0;              ///< in the list of dumps
  std::vector<std::uint32_t> records;  ///< of the dump, ascending
};

/// No call, no dump.
inline constexpr std::uint32_t kNowhere = ~0u;

/// What the steps of report_hangs share.
struct HangSearch {
  const std::vector<RankDump>& dumps;
  std::int64_t origin_ns = 0;  ///< the first record of all
  HangReport report;
  std::vector<std::vector<RankPart>> parts;               ///< by call, by dump
  std::vector<std::vector<std::uint32_t>> group_of;       ///< by dump and record
  std::vector<std::vector<std::uint32_t>> call_of;        ///< by dump and record; else kNowhere
  std::vector<std::vector<std::uint32_t>> dump_in_group;  ///< by group: dumps of its ranks

  [[nodiscard]] const trace::flight_recorder::Record& record(std::uint32_t dump,
                                                             std::uint32_t number) const {
    return dumps[dump].dump.records[number];
  }
  /// The record that has the state of a part: the last one. PyTorch records the end of a coalesced
  /// collective after its operations, which have no state of their own.
  [[nodiscard]] const trace::flight_recorder::Record& outcome(const RankPart& part) const {
    return record(part.dump, part.records.back());
  }
  [[nodiscard]] std::uint32_t dump_of(std::uint32_t rank) const;
  /// Longest time between records: 100 days.
  static constexpr std::int64_t kMostNs = std::int64_t{100} * 24 * 3600 * 1'000'000'000;
  /// When a record was created, since the first of all; at most kMostNs.
  [[nodiscard]] Time since_origin(const trace::flight_recorder::Record& record) const {
    return ns(std::min(record.created_ns - origin_ns, kMostNs));
  }
};

/// All steps. `dumps` must outlive the result.
[[nodiscard]] HangSearch search_hangs(const std::vector<RankDump>& dumps);

/// The groups of all dumps, and of each record.
void find_groups(HangSearch& search);
/// The collectives of each group, with the states of its ranks.
void match_collectives(HangSearch& search);
/// The messages that are not completed.
void match_messages(HangSearch& search);
/// What ranks did differently in a collective; sets its cause and its sentence.
void find_differences(HangSearch& search);
/// What waits for what.
void find_causes(HangSearch& search);

/// A send or receive of one rank.
struct MessagePart {
  std::uint32_t dump = 0, record = 0;
  trace::flight_recorder::State state = trace::flight_recorder::State::scheduled;
  bool is_in_batch = false;  ///< `state` is that of its coalesced launch
};
/// The sends and receives from one rank to another in a group, in the order of their records.
struct MessagePair {
  std::vector<MessagePart> sends, receives;
};
/// By group, source and destination: ranks of the job.
using MessagePairs = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, MessagePair>;
[[nodiscard]] MessagePairs find_messages(const HangSearch& search);

/// A message that both of its ranks completed.
struct CompletedMessage {
  std::uint32_t send_dump = 0, send = 0;  ///< in the list of dumps; the record of it
  std::uint32_t receive_dump = 0, receive = 0;
  bool send_in_batch = false, receive_in_batch = false;
};

/// The completed messages of ranks with dumps, by group, sender and receiver, in their order. If
/// the rings of both ranks are complete, they match from the first one, else from the last one. A
/// message that has no partner, or another size there, is left out (call_not_complete); a partner
/// without a dump is comm_alone.
[[nodiscard]] std::vector<CompletedMessage> completed_messages(const HangSearch& search,
                                                               Findings& findings);

/// Bytes of a message: the larger of its tensors; -1 if the width of a type is unknown.
[[nodiscard]] std::int64_t message_bytes(const trace::flight_recorder::Record& record);
/// Bytes of tensors; -1 if the width of a type is unknown.
[[nodiscard]] std::int64_t bytes_of(const trace::flight_recorder::Tensors& tensors);

/// "[1024, 4096] Float, [8] Float"; shortened.
[[nodiscard]] std::string tensors_text(const trace::flight_recorder::Tensors& tensors);

}  // namespace orrery::intake
