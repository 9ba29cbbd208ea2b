// SPDX-License-Identifier: Apache-2.0
//
// Timelines of ranks as packets: a process per rank, with one track per lane.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/report/perfetto/trace_packets.h"

namespace orrery::report {

class RankWriter {
 public:
  RankWriter(TracePackets& packets, const result::Run& run, const SpanFlows& flows,
             const TimelineChoice& choice)
      : packets_(packets), run_(run), flows_(flows), choice_(choice) {}

  /// Writes one complete rank; nothing if it has no spans in the window.
  void write(std::uint32_t rank);

  // The parts of write(), for measuring sizes. Call begin() first.
  void skip_path() { path_ = false; }
  void begin(std::uint32_t rank);
  void describe_process();
  void describe_lane(std::size_t lane);
  void begin_slice(std::uint32_t span, std::uint64_t ns);
  void end_slice(std::uint32_t span, std::uint64_t ns);
  void write_memory();
  void intern(const result::Span& span);
  [[nodiscard]] const LaneOrder& order() const { return order_; }

 private:
  TracePackets& packets_;
  const result::Run& run_;
  const SpanFlows& flows_;
  TimelineChoice choice_;
  LaneOrder order_;
  std::uint32_t rank_ = 0;
  const result::Timeline* timeline_ = nullptr;
  bool described_ = false;
  bool path_ = true;     // whether spans on the critical path are marked
  std::string process_;  // path of the process track
  std::uint64_t lanes_uuid_ = 0;
  std::unordered_map<std::string, std::uint32_t> lane_names_;  // number of uses of each name
  std::vector<TrackKey> keys_;                                 // by lane
};

}  // namespace orrery::report
