// SPDX-License-Identifier: Apache-2.0
//
// Breaks down the time of a step over all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::analysis {

/// Times of one rank, as the simulator reports them, or of several identical ranks.
struct RankTimes {
  std::optional<Time> finish;  ///< empty: never finished
  Time compute{};
  Time comm{};
  Time comm_only{};    ///< communication while nothing computes
  Time memory_only{};  ///< remote memory while nothing computes or communicates
};

struct SlowRank {
  std::uint32_t rank;
  Time finish;
};

/// Means over ranks. compute + comm_only + memory_only + idle = step (up to rounding, 1 ps each).
/// Idle includes the time between a rank's finish and the end of the step.
struct Breakdown {
  Time step{};
  Time compute{};
  Time comm_only{};
  Time memory_only{};
  Time idle{};
  Time comm{};                    ///< all communication, overlapped or exposed
  std::uint32_t finished = 0;     ///< number of ranks that finished
  Time fastest{};                 ///< first finish
  Time median{};                  ///< lower median finish
  std::vector<SlowRank> slowest;  ///< latest first; ties by rank

  /// part / step; 0 if the step has no duration.
  [[nodiscard]] double share(Time part) const {
    return step.count() > 0 ? seconds(part) / seconds(step) : 0.0;
  }
};

/// `step` is the end of the step; at most `limit` slow ranks are stored. Rank r has the times
/// `times[class_of[r]]`, or `times[r]` if `class_of` is empty. O(ranks + times × log times).
[[nodiscard]] Breakdown break_down(std::span<const RankTimes> times, Time step,
                                   std::size_t limit = 3,
                                   std::span<const std::uint32_t> class_of = {});

}  // namespace orrery::analysis
