// SPDX-License-Identifier: Apache-2.0
//
// Writes a run as a timeline for Perfetto (protobuf) and for Chrome's older viewers (JSON).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::report {

/// Some ranks that show what all ranks do.
struct RankSample {
  std::vector<std::uint32_t> ranks;  ///< ascending
  /// By rank in `ranks`: number of ranks with its timeline, itself included; 0: an earlier rank of
  /// the sample has the same timeline.
  std::vector<std::uint32_t> stands_for;
};

/// The lowest rank of each timeline, and the ranks on the critical path.
[[nodiscard]] RankSample sample_ranks(const result::Run& run);

/// The part of a run to write.
struct TimelineChoice {
  std::uint32_t first_rank = 0;
  std::uint32_t last_rank = std::numeric_limits<std::uint32_t>::max();  ///< inclusive
  Time from{};
  Time until = kTimeMax;  ///< spans that overlap [from, until) are written completely
  /// A piece with lower ranks has the same window. That piece contains the link use by dimension;
  /// the use of a link is in the piece of the rank that it leaves.
  bool is_continuation = false;
  std::shared_ptr<const RankSample> sample;  ///< only these ranks; null: all
};

/// Receives the next bytes; returns false to stop the writer.
using ByteSink = std::function<bool(std::string_view)>;

/// Writes TracePackets, with the critical path at the chosen ranks. Returns false if the sink
/// stopped it. Deterministic. O(spans). Memory: known names, the critical path, and the order of
/// one timeline's spans.
[[nodiscard]] bool write_perfetto(const result::Run& run, const TimelineChoice& choice,
                                  const ByteSink& sink);

/// The same as Chrome trace-event JSON, without the tracks of the step and of the critical path.
[[nodiscard]] bool write_chrome(const result::Run& run, const TimelineChoice& choice,
                                const ByteSink& sink);

/// The size of write_perfetto's output in bytes, within a few percent; for the size guard.
[[nodiscard]] std::uint64_t estimate_perfetto_bytes(const result::Run& run,
                                                    const TimelineChoice& choice);

/// Splits a choice by rank (and by time if one rank is too large) into pieces of at most about
/// `limit` bytes. The pieces together are hardly larger than a single file.
[[nodiscard]] std::vector<TimelineChoice> split_timeline(const result::Run& run,
                                                         const TimelineChoice& choice,
                                                         std::uint64_t limit);

}  // namespace orrery::report
