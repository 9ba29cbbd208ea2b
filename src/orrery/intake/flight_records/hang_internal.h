// SPDX-License-Identifier: Apache-2.0
//
// Parts of report_hangs().
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
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
  /// When a record was created, since the first of all; at most 100 days.
  [[nodiscard]] Time since_origin(const trace::flight_recorder::Record& record) const {
    constexpr std::int64_t kMostNs = std::int64_t{100} * 24 * 3600 * 1'000'000'000;
    return ns(std::min(record.created_ns - origin_ns, kMostNs));
  }
};

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

/// "[1024, 4096] Float, [8] Float"; shortened.
[[nodiscard]] std::string tensors_text(const trace::flight_recorder::Tensors& tensors);

}  // namespace orrery::intake
