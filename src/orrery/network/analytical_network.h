// SPDX-License-Identifier: Apache-2.0
//
// Networks without congestion.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/network/dimensions/rank_distances.h"
#include "orrery/network/fabric_routes.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// A message takes what it takes alone. Whoever asks the traits never sends any; who does all the
/// same gets the same answer.
class UncontendedNetwork : public Network {
 public:
  void send(const Send& message) override;
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override;
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;

 protected:
  using Network::Network;

 private:
  struct Flying {
    std::int64_t arrival;
    Send send;
  };
  std::vector<Send> sent_;
  std::vector<Flying> flying_;  // a heap: the earliest first
  std::uint64_t epoch_ = 0;
};

/// MultiDimFabric::delay: hops × latency + size / bandwidth, nobody in anybody's way.
class AnalyticalNetwork final : public UncontendedNetwork {
 public:
  explicit AnalyticalNetwork(const platform::Platform& platform);

  [[nodiscard]] std::uint32_t place(EndPoint rank) const override {
    return by_dimensions()->port_class(rank);
  }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 protected:
  [[nodiscard]] std::int64_t uncontended_time(EndPoint from, EndPoint to,
                                              std::int64_t bytes) const override {
    return by_dimensions()->delay(from, to, bytes);
  }

 private:
  platform::Rules rules_;
  mutable std::shared_ptr<const RankDistances> distances_;  // once asked for
};

/// sum of latencies + bytes / (what the narrowest link of the way carries), or what a window lets
/// through; nobody in anybody's way.
class AnalyticalFabric final : public UncontendedNetwork {
 public:
  explicit AnalyticalFabric(const platform::Platform& platform);

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return routes_->nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t place(EndPoint /*rank*/) const override { return 0; }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const override {
    return routes_->colour(from, to);
  }
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 protected:
  [[nodiscard]] std::int64_t uncontended_time(EndPoint from, EndPoint to,
                                              std::int64_t bytes) const override {
    return routes_->alone(from, to, bytes);
  }

 private:
  std::shared_ptr<FabricRoutes> routes_;
};

}  // namespace orrery::model
