// SPDX-License-Identifier: Apache-2.0
//
// Times of all-reduces as serving engines run them: their own kernels for small sizes, NCCL for
// large ones (data/collectives/serving_all_reduce.csv).
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/model/collective/curves/size_curve.h"
#include "orrery/serving/measured/engine.h"

namespace orrery::serving {

/// The curve through the measured times of `ranks` devices of one node with this engine. Empty: not
/// measured.
[[nodiscard]] model::SizeCurve all_reduce_curve(std::string_view device, Engine engine,
                                                std::int64_t ranks);

}  // namespace orrery::serving
