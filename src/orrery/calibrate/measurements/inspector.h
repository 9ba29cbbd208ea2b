// SPDX-License-Identifier: Apache-2.0
//
// Logs of NCCL's Inspector, a profiler plug-in: one object of JSON per rank and operation.
//
// Source: NCCL, plugins/profiler/inspector/{README.md, inspector.cc, inspector_json.cc}, formats
// v4.0 to v4.3. From v4.3 on, operations have no header; the header of the preceding "dump_stats"
// applies to them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate {

/// Operations of all ranks, from any number of logs.
///
/// Times are truncated to microseconds. The time of a rank begins with its kernel, so it includes
/// the wait for other ranks. The last rank to arrive does not wait. So the time of a collective is
/// the shortest of its ranks, which are matched by communicator, collective and sequence number.
/// (In a broadcast or a reduction, a rank may finish before the others; their shortest time is only
/// a lower limit.) Sends and receives between two ranks are matched by their order if their numbers
/// are equal. Collectives that lack ranks are counted (waiting_included).
///
/// The first collective of each communicator and size is dropped if it lasts longer than twice the
/// median of all of them (cold_measurement_dropped). The remaining measurements of one size, in all
/// communicators with equal numbers of ranks and nodes, become one row with their median time.
///
/// `coll_msg_size_bytes` is NCCL's count times the element size. For all-gather, reduce-scatter and
/// all-to-all this is the share of one rank, otherwise the complete buffer; rows contain the size
/// of the complete buffer. An algorithm bandwidth must agree within 2 %; all-to-all has none.
class InspectorLogs {
 public:
  struct Communicator {
    std::string id;
    std::int32_t ranks = 0, nodes = 0;  // 0: not stated

    friend auto operator<=>(const Communicator&, const Communicator&) = default;
  };
  /// One rank's part in a collective.
  struct RankRecord {
    std::uint32_t communicator = 0, collective = 0;  ///< `collective`: an index of collectives()
    std::int64_t bytes = 0;                          ///< of the complete buffer
    std::int64_t number = 0;                         ///< sequence number
    std::int32_t rank = 0;
    double time_us = 0;

    friend auto operator<=>(const RankRecord&, const RankRecord&) = default;
  };
  /// A send or a receive.
  struct Transfer {
    std::uint32_t communicator = 0;
    std::int32_t from = 0, to = 0;
    std::int64_t bytes = 0;
    bool receive = false;
    std::int64_t number = 0;
    double time_us = 0;

    friend auto operator<=>(const Transfer&, const Transfer&) = default;
  };

  /// Reads one log. Counts and skips text that is not JSON (corrupt_record_dropped; at the end of
  /// the file truncated_tail_dropped). A line that begins with { always begins a record. Errc:
  /// config_unit, limit_exceeded, the source's.
  [[nodiscard]] Result<void> read(trace::ByteSource& source, const std::string& where,
                                  Findings& findings);

  /// The communicator's index in records; adds the communicator if it is new.
  [[nodiscard]] std::uint32_t index_of_communicator(const Communicator& communicator);
  /// False: limits::kInspectorOperations is reached.
  [[nodiscard]] bool add(const RankRecord& part);
  [[nodiscard]] bool add(const Transfer& transfer);

  /// Adds the rows of all logs to `into` and resets this object. Errc: limit_exceeded.
  [[nodiscard]] Result<void> finish(MeasurementSink& into);

  /// Sets the tool that wrote a log, and its date. The latest of several logs applies.
  void set_tool(std::string tool, std::string date);

 private:
  std::string tool_, date_;
  std::map<Communicator, std::uint32_t> communicators_;
  std::vector<RankRecord> records_;
  std::vector<Transfer> transfers_;
};

}  // namespace orrery::calibrate
