// SPDX-License-Identifier: Apache-2.0
//
// Logs of NCCL's Inspector, a profiler plug-in: one object of JSON per rank and operation.
//
// Source: NCCL, plugins/profiler/inspector/{README.md, inspector.cc, inspector_json.cc}, formats
// v4.0 to v4.3. From v4.3 on operations have no header: that of the "dump_stats" before them is
// theirs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/calibrate/measurements/benchmark.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate {

/// Operations of all ranks, from any number of logs.
///
/// Times are whole microseconds, cut off. A rank's begins when its kernel does, so it includes
/// waiting for the others. Whoever comes last waits for nobody: a collective's time is the shortest
/// among its ranks, which are joined by communicator, collective and sequence number. (Of a
/// broadcast or a reduction the shortest may be that of a rank that is done before the others; for
/// these it is a lower limit.) A send and its receive are joined by their order between two ranks,
/// where there are as many of one as of the other. Collectives that lack ranks are counted
/// (waiting_included).
///
/// The first collective of a communicator and size is left out when it takes more than twice the
/// median of all of them (cold_measurement_dropped). What is left of equal sizes, in all
/// communicators with as many ranks and nodes, becomes one row with the median of their times.
///
/// `coll_msg_size_bytes` is NCCL's count times the size of an element: of all-gather,
/// reduce-scatter and all-to-all one rank's share, of the others the whole buffer; rows have the
/// whole one. Where there is an algorithm bandwidth it must agree, within 2 %; all-to-all has none.
class InspectorLogs {
 public:
  struct Communicator {
    std::string id;
    std::int32_t ranks = 0, nodes = 0;  // 0: not said
    bool operator<(const Communicator& other) const {
      return std::tie(id, ranks, nodes) < std::tie(other.id, other.ranks, other.nodes);
    }
  };
  /// What one rank did in a collective.
  struct RankRecord {
    std::uint32_t communicator = 0, collective = 0;  ///< `collective` is an index of collectives()
    std::int64_t bytes = 0;                          ///< of the whole buffer
    std::int64_t number = 0;                         ///< the sequence number
    std::int32_t rank = 0;
    double time_us = 0;
  };
  /// A send or a receive.
  struct Transfer {
    std::uint32_t communicator = 0;
    std::int64_t bytes = 0;
    std::int32_t from = 0, to = 0;
    bool receive = false;
    std::int64_t number = 0;
    double time_us = 0;
  };

  /// Reads one log. What is no JSON is counted and passed over (corrupt_record_dropped; at the end
  /// of the file truncated_tail_dropped). A line that begins with { begins a record, whatever was
  /// before. Errc: config_unit, limit_exceeded, the source's.
  [[nodiscard]] Result<void> read(trace::ByteSource& source, const std::string& where,
                                  Findings& findings);

  [[nodiscard]] std::uint32_t number_of(const Communicator& communicator);
  /// False: there are limits::kInspectorOperations already.
  [[nodiscard]] bool add(const RankRecord& part);
  [[nodiscard]] bool add(const Transfer& transfer);

  /// Adds the rows of all that was read, which is forgotten. Errc: limit_exceeded.
  [[nodiscard]] Result<void> finish(MeasurementSink& into);

  /// Who wrote a log, and when.
  void set_tool(std::string tool, std::string date);

 private:
  std::string tool_, date_;
  std::map<Communicator, std::uint32_t> communicators_;
  std::vector<RankRecord> parts_;
  std::vector<Transfer> transfers_;
};

}  // namespace orrery::calibrate
