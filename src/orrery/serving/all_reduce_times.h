// SPDX-License-Identifier: Apache-2.0
//
// Times of all-reduces as serving engines run them: their own kernels for small sizes, NCCL for
// large ones (data/collectives/serving_all_reduce.csv).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/serving/engine_options.h"

namespace orrery::serving {

/// One curve: sizes in bytes, ascending, and seconds.
struct AllReduceCurve {
  std::vector<double> bytes, seconds;

  /// Interpolated in the logarithms of both; below the first size its time, above the last one its
  /// rate. O(log points). Empty curve: 0.
  [[nodiscard]] double at(std::int64_t bytes) const;
};

/// The curve of `ranks` devices of one node with this engine. Empty: not measured.
[[nodiscard]] AllReduceCurve all_reduce_curve(std::string_view device, Engine engine,
                                              std::int64_t ranks);

}  // namespace orrery::serving
