// SPDX-License-Identifier: Apache-2.0
//
// A network without congestion whose message times a function changes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "orrery/network/analytical_network.h"

namespace orrery::model {

/// Every message lasts what a function makes of the time of another network, which must be
/// uncontended. The function may depend on the end points, so ranks are neither folded nor
/// simulated in parallel.
class ChangedTimesNetwork final : public UncontendedNetwork {
 public:
  /// Returns picoseconds from end points, bytes and predicted picoseconds. Equal for equal
  /// arguments.
  using Change = std::function<std::int64_t(EndPoint from, EndPoint to, std::int64_t bytes,
                                            std::int64_t predicted)>;
  ChangedTimesNetwork(std::shared_ptr<const Network> network, Change change)
      : UncontendedNetwork(network->end_points(),
                           {.uncontended = true, .tick_order_free = true, .repeatable = true}),
        network_(std::move(network)),
        change_(std::move(change)) {}

  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return network_->nearest_memories(rank);
  }
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override {
    return std::make_unique<ChangedTimesNetwork>(*this);
  }
  /// The times of a resumed run could differ.
  [[nodiscard]] bool can_be_saved() const override { return false; }

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    const std::int64_t predicted = network_->uncontended_time(from, to, bytes);
    if (from == to || predicted >= MultiDimFabric::kTooLong) return predicted;
    return change_(from, to, bytes, predicted);
  }

 private:
  std::shared_ptr<const Network> network_;
  Change change_;
};

}  // namespace orrery::model
