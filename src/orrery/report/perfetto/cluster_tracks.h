// SPDX-License-Identifier: Apache-2.0
//
// What belongs to no single rank: the step, the critical path, and how busy links were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// A curve to draw: from when, how many bytes per second.
struct LinkCurve {
  std::string name;
  std::string description;
  std::vector<std::pair<std::uint64_t, std::int64_t>> points;  ///< (ns, bytes/s), ascending
  std::uint32_t rank;  ///< which it leaves; the first chosen one where that is none of them
};

/// More used links than this are drawn by dimension only.
inline constexpr std::size_t kMaxLinks = 64;

/// What remote memory loads and stores, level by level. Link use by dimension, then link by link
/// where there are few and one end is a chosen rank; of a later piece only links that leave a
/// chosen rank.
[[nodiscard]] std::vector<LinkCurve> link_curves(const result::Run& run,
                                                 const TimelineChoice& choice);

class TracePackets;
/// The step, the critical path where it is at chosen ranks, and link use. To `bytes`, if there, is
/// added by rank what the path's slices there and the links that leave it came to.
void write_cluster(TracePackets& packets, const result::Run& run, const SpanFlows& flows,
                   const TimelineChoice& choice, std::vector<std::uint64_t>* bytes = nullptr);

}  // namespace orrery::report
