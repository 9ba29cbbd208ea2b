// SPDX-License-Identifier: Apache-2.0
//
// Index streams that are read again as a histogram says.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/embedding/reuse.h"

namespace orrery::model {

/// What a stream shall be like.
struct StreamRequest {
  std::int64_t batch = 0, pooling = 0;  ///< bags, and lookups in each
  std::int64_t rows = 0;                ///< of the table
  ReuseHistogram shares{};
  std::uint64_t seed = 1;

  static constexpr std::int64_t kMaxLookups = 1ll << 28;
};

/// How many different rows are read how often: as near to the histogram as whole rows and a whole
/// number of lookups allow.
struct StreamPlan {
  std::array<std::int64_t, kReuseBins> rows_in{}, lookups_in{};
  std::int64_t rows = 0;  ///< different ones
  double off = 0;         ///< the largest difference to a wanted share
};

/// Errc: usage (sizes below 1, shares that are no histogram, more rows than the table has, too few
/// lookups for the rows wanted), limit_exceeded.
[[nodiscard]] Result<StreamPlan> plan_stream(const StreamRequest& wish);

/// batch × pooling indices, bag after bag: rows are drawn evenly from the table, lookups of a row
/// lie anywhere. The same wish gives the same stream on every machine.
[[nodiscard]] std::vector<std::int64_t> make_stream(const StreamRequest& wish,
                                                    const StreamPlan& plan);

}  // namespace orrery::model
