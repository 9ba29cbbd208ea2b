// SPDX-License-Identifier: Apache-2.0
//
// A fabric without congestion.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "orrery/model/network/analytical.h"
#include "orrery/model/network/ways.h"

namespace orrery::model {

/// sum of latencies + bytes / (what the narrowest link of the way carries), or what a window lets
/// through; nobody in anybody's way.
class AlongWays final : public Uncontended {
 public:
  explicit AlongWays(const platform::Platform& platform);

  [[nodiscard]] std::uint32_t place(EndPoint /*rank*/) const override { return 0; }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 protected:
  [[nodiscard]] std::int64_t takes_alone(EndPoint from, EndPoint to,
                                         std::int64_t bytes) const override;

 private:
  struct Shared {
    explicit Shared(const platform::Platform& platform) : ways(platform) {}
    Ways ways;
    std::map<std::pair<double, double>, std::uint32_t> colours;  // by latency and rate
    std::mutex mutex;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace orrery::model
