// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/along_ways.h"

namespace orrery::model {

AlongWays::AlongWays(const platform::Platform& platform)
    : Uncontended({.ranks = static_cast<std::uint32_t>(platform.npu_count()),
                   .memories = platform::memory_count(platform)},
                  {.uncontended = true,
                   .tick_order_free = true,
                   .foldable = true,
                   .repeatable = true,
                   .parallel = true}),
      ways_(std::make_shared<Ways>(platform)) {}

std::unique_ptr<Network> AlongWays::snapshot() const { return std::make_unique<AlongWays>(*this); }

}  // namespace orrery::model
