// SPDX-License-Identifier: Apache-2.0
//
// Generates index streams with a given histogram of row reuse.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/embedding/reuse.h"

namespace orrery::model {

/// The requested properties of a stream.
struct StreamRequest {
  std::int64_t batch = 0, pooling = 0;  ///< number of bags, and lookups per bag
  std::int64_t rows = 0;                ///< of the table
  ReuseHistogram shares{};
  std::uint64_t seed = 1;

  static constexpr std::int64_t kMaxLookups = 1ll << 28;
};

/// The numbers of rows and lookups in each bin of the histogram: as close to the requested shares
/// as integers allow.
struct StreamPlan {
  std::array<std::int64_t, kReuseBins> rows_in{}, lookups_in{};
  std::int64_t rows = 0;     ///< number of different rows
  double max_deviation = 0;  ///< the largest difference from a requested share
};

/// Plans a stream. Errc: usage (sizes below 1, shares that are not a histogram, or no number of
/// rows fits the histogram, the table and the lookups), limit_exceeded.
[[nodiscard]] Result<StreamPlan> plan_stream(const StreamRequest& request);

/// Returns batch × pooling indices, bag after bag. Rows are sampled uniformly from the table, and
/// the lookups of a row are at random positions. Equal requests give equal streams on every
/// machine.
[[nodiscard]] std::vector<std::int64_t> make_stream(const StreamRequest& request,
                                                    const StreamPlan& plan);

}  // namespace orrery::model
