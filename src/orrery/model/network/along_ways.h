// SPDX-License-Identifier: Apache-2.0
//
// A fabric without congestion.
#pragma once

#include <cstdint>
#include <memory>

#include "orrery/model/network/analytical.h"
#include "orrery/model/network/ways.h"

namespace orrery::model {

/// sum of latencies + bytes / (what the narrowest link of the way carries), or what a window lets
/// through; nobody in anybody's way.
class AlongWays final : public Uncontended {
 public:
  explicit AlongWays(const platform::Platform& platform);

  [[nodiscard]] std::span<const std::uint32_t> near_memories(EndPoint rank) const override {
    return ways_->near_memories(rank);
  }
  [[nodiscard]] std::uint32_t place(EndPoint /*rank*/) const override { return 0; }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const override {
    return ways_->colour(from, to);
  }
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 protected:
  [[nodiscard]] std::int64_t takes_alone(EndPoint from, EndPoint to,
                                         std::int64_t bytes) const override {
    return ways_->alone(from, to, bytes);
  }

 private:
  std::shared_ptr<Ways> ways_;
};

}  // namespace orrery::model
