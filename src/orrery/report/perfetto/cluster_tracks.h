// SPDX-License-Identifier: Apache-2.0
//
// Tracks of the cluster: the step, the critical path and link use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// A counter curve in bytes per second.
struct LinkCurve {
  std::string name;
  std::string description;
  std::vector<std::pair<std::uint64_t, std::int64_t>> points;  ///< (ns, bytes/s), ascending
  std::uint32_t rank;  ///< the rank that the link leaves, or the first chosen rank
};

/// Above this number of used links only totals by dimension are written.
inline constexpr std::size_t kMaxLinks = 64;

/// Curves of loads and stores of remote memory, by level, and of link use by dimension. Link use by
/// link follows if there are few links and one end is a chosen rank. A continuation contains only
/// links that leave a chosen rank.
[[nodiscard]] std::vector<LinkCurve> link_curves(const result::Run& run,
                                                 const TimelineChoice& choice);

class TracePackets;
/// Writes the step, the critical path at the chosen ranks, and link use. If `bytes` is given, adds
/// to it, by rank, the bytes of the path's slices there and of the links that leave it.
void write_cluster(TracePackets& packets, const result::Run& run, const SpanFlows& flows,
                   const TimelineChoice& choice, std::vector<std::uint64_t>* bytes = nullptr);

}  // namespace orrery::report
