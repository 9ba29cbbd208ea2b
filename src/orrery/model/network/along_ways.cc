// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/network/along_ways.h"

namespace orrery::model {

AlongWays::AlongWays(const platform::Platform& platform)
    : Uncontended({.ranks = static_cast<std::uint32_t>(platform.npu_count())},
                  {.uncontended = true,
                   .tick_order_free = true,
                   .foldable = true,
                   .repeatable = true,
                   .parallel = true}),
      shared_(std::make_shared<Shared>(platform)) {}

std::uint32_t AlongWays::colour(EndPoint from, EndPoint to) const {
  if (from == to) return 0;
  const Route* way = shared_->ways.find(shared_->ways.usual(), from, to);
  if (way == nullptr) return 1;
  const std::scoped_lock lock(shared_->mutex);
  const auto next = static_cast<std::uint32_t>(shared_->colours.size() + 1);
  return shared_->colours.try_emplace({way->latency_ns, way->bytes_per_ns}, next).first->second;
}

std::unique_ptr<Network> AlongWays::snapshot() const { return std::make_unique<AlongWays>(*this); }

std::int64_t AlongWays::takes_alone(EndPoint from, EndPoint to, std::int64_t bytes) const {
  return shared_->ways.alone(from, to, bytes);
}

}  // namespace orrery::model
