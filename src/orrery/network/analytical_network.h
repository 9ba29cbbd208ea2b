// SPDX-License-Identifier: Apache-2.0
//
// Networks without congestion.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/network/dimensions/rank_distances.h"
#include "orrery/network/fabric_routes.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// Every message lasts its uncontended time (Network::uncontended_time). The simulator may
/// therefore skip send(); a caller that sends messages gets the same times.
class UncontendedNetwork : public Network {
 public:
  void send(const Send& message) override;
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override;
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  [[nodiscard]] bool can_be_saved() const override { return true; }
  void save(StateWriter& to) const override { to(sent_, in_transit_, epoch_); }
  void load(StateReader& from) override { from(sent_, in_transit_, epoch_); }

 protected:
  using Network::Network;

 private:
  struct InTransit {
    std::int64_t arrival;
    Send send;
  };
  std::vector<Send> sent_;
  std::vector<InTransit> in_transit_;  // messages in transit; a heap by arrival
  std::uint64_t epoch_ = 0;
};

/// MultiDimFabric::delay: hops × latency + size / bandwidth, without contention.
class AnalyticalNetwork final : public UncontendedNetwork {
 public:
  explicit AnalyticalNetwork(const platform::Platform& platform);

  [[nodiscard]] std::uint32_t port_class(EndPoint rank) const override {
    return by_dimensions()->port_class(rank);
  }
  [[nodiscard]] std::uint32_t pair_class(EndPoint from, EndPoint to) const override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    return by_dimensions()->delay(from, to, bytes);
  }

 private:
  platform::Rules rules_;
  mutable std::shared_ptr<const RankDistances> distances_;  // null until the first pair_class()
};

/// Time of a message over a fabric without contention: sum of latencies + bytes / rate. The rate is
/// the bandwidth of the narrowest link of the route, or less if the window limits it
/// (FabricRoutes::max_rate).
class AnalyticalFabric final : public UncontendedNetwork {
 public:
  explicit AnalyticalFabric(const platform::Platform& platform);

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return routes_->nearest_memories(rank);
  }
  [[nodiscard]] std::uint32_t pair_class(EndPoint from, EndPoint to) const override {
    return routes_->pair_class(from, to);
  }
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    return routes_->uncontended_time(from, to, bytes);
  }

 private:
  std::shared_ptr<FabricRoutes> routes_;
};

}  // namespace orrery::model
