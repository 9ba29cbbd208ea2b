// SPDX-License-Identifier: Apache-2.0
//
// A network for tests: delays from a table.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/network/analytical_network.h"

namespace orrery::model::testing {

/// A network without contention. A message lasts the table's entry for the distance from sender to
/// receiver (modulo the number of ranks), plus bytes x `ps_per_byte`. So both directions differ.
class TableNetwork final : public UncontendedNetwork {
 public:
  TableNetwork(std::uint32_t ranks, std::vector<std::int64_t> delays, std::int64_t ps_per_byte)
      : UncontendedNetwork({.ranks = ranks}, {.uncontended = true,
                                              .tick_order_free = true,
                                              .foldable = true,
                                              .repeatable = true,
                                              .parallel = true}),
        delays_(std::move(delays)),
        ps_per_byte_(ps_per_byte) {}

  [[nodiscard]] std::uint32_t pair_class(EndPoint from, EndPoint to) const override {
    return from == to ? 0 : 1 + entry(from, to);
  }
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override {
    return std::make_unique<TableNetwork>(*this);
  }

 protected:
  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    if (from == to) return 0;
    if (bytes > MultiDimFabric::kTooLong / (ps_per_byte_ + 1)) return MultiDimFabric::kTooLong;
    return delays_[entry(from, to)] + bytes * ps_per_byte_;
  }

 private:
  [[nodiscard]] std::uint32_t entry(EndPoint from, EndPoint to) const {
    const std::uint32_t ranks = end_points().ranks;
    return (to + ranks - from) % ranks % static_cast<std::uint32_t>(delays_.size());
  }

  std::vector<std::int64_t> delays_;
  std::int64_t ps_per_byte_;
};

}  // namespace orrery::model::testing
