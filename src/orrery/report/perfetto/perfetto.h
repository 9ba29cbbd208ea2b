// SPDX-License-Identifier: Apache-2.0
//
// A run as a timeline for Perfetto (protobuf) and for Chrome's older viewers (JSON).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// Which part of a run to write.
struct TimelineChoice {
  std::uint32_t first_rank = 0;
  std::uint32_t last_rank = std::numeric_limits<std::uint32_t>::max();  ///< inclusive
  Time from{};
  Time until = kTimeMax;  ///< spans that touch [from, until) are written, whole
  /// A piece whose window another one with lower ranks has, too: link use by dimension is told
  /// there, and that of a link in the piece of the rank it leaves.
  bool is_continuation = false;
};

/// Takes the next bytes; false stops the writing.
using ByteSink = std::function<bool(std::string_view)>;

/// Writes TracePackets. The critical path is written where it is at a chosen rank. False when the
/// sink said so. Deterministic; O(spans); keeps no more than which names are known, the critical
/// path, and the order of one timeline's spans.
[[nodiscard]] bool write_perfetto(const result::Run& run, const TimelineChoice& choice,
                                  const ByteSink& sink);

/// The same as Chrome trace-event JSON, without the tracks of the step and of the critical path.
[[nodiscard]] bool write_chrome(const result::Run& run, const TimelineChoice& choice,
                                const ByteSink& sink);

/// How many bytes write_perfetto would write, within a few percent; for the size guard.
[[nodiscard]] std::uint64_t estimate_perfetto_bytes(const result::Run& run,
                                                    const TimelineChoice& choice);

/// Cuts a choice into pieces by rank (and where one rank is too much, by time) of at most about
/// `limit` bytes each. Together they are hardly larger than the whole.
[[nodiscard]] std::vector<TimelineChoice> split_timeline(const result::Run& run,
                                                         const TimelineChoice& choice,
                                                         std::uint64_t limit);

}  // namespace orrery::report
