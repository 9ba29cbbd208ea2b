// SPDX-License-Identifier: Apache-2.0
//
// Where a step's time went, over all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::analysis {

/// One rank's intervals, as the simulator reports them; also those of several ranks that are alike.
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

/// Means over ranks. compute + comm_only + memory_only + idle = step (up to rounding, 1 ps each);
/// idle includes the wait from a rank's own finish to the end of the step.
struct Breakdown {
  Time step{};
  Time compute{};
  Time comm_only{};
  Time memory_only{};
  Time idle{};
  Time comm{};                    ///< all communication, hidden or not
  std::uint32_t finished = 0;     ///< ranks
  Time fastest{};                 ///< first finish
  Time median{};                  ///< lower median finish
  std::vector<SlowRank> slowest;  ///< latest first; ties by rank

  /// part / step, 0 when there is no step.
  [[nodiscard]] double share(Time part) const {
    return step.count() > 0 ? seconds(part) / seconds(step) : 0.0;
  }
};

/// `step` is the end of the step; at most `most` slow ranks are kept. Rank r took
/// `times[class_of[r]]`; with an empty `class_of`, `times[r]`. O(ranks + times × log times).
[[nodiscard]] Breakdown break_down(std::span<const RankTimes> times, Time step,
                                   std::size_t limit = 3,
                                   std::span<const std::uint32_t> class_of = {});

}  // namespace orrery::analysis
