// SPDX-License-Identifier: Apache-2.0
//
// What links cost where the busy ones are dear. Private to the room's searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// Bytes by wire, and a cost that grows with a power of how busy it is beside the busiest: on a
/// usual link about 1 where that is the busiest, `idle` where nothing is on it.
class LinkPrices {
 public:
  LinkPrices(const FabricState& fabric, double idle)
      : load_(fabric.wires.size()), cost_(load_.size()), idle_(idle) {
    double sum = 0;
    for (const Wire& wire : fabric.wires) {
      room_.push_back(std::max(1.0, wire.capacity));
      sum += room_.back();
    }
    mean_ = sum / std::max<double>(1, static_cast<double>(room_.size()));
  }

  /// `least`: seconds, where nothing is busier yet. The power is 2 to the `squarings`.
  void set(double least, int squarings) {
    top_ = std::max(least, busiest());
    squarings_ = squarings;
    for (std::uint32_t wire = 0; wire < cost_.size(); ++wire) price(wire);
  }
  void carry(std::span<const std::uint32_t> wires, double bytes) {
    for (const std::uint32_t wire : wires) {
      load_[wire] += bytes;
      price(wire);
    }
  }
  [[nodiscard]] double cost(std::uint32_t wire) const { return cost_[wire]; }
  /// Seconds that the busiest link is.
  [[nodiscard]] double busiest() const {
    double most = 0;
    for (std::size_t wire = 0; wire < load_.size(); ++wire)
      most = std::max(most, load_[wire] / room_[wire]);
    return most;
  }

 private:
  void price(std::uint32_t wire) {
    double power = load_[wire] / room_[wire] / top_;
    for (int i = 0; i < squarings_; ++i) power *= power;
    cost_[wire] = (idle_ + power) * mean_ / room_[wire];
  }

  std::vector<double> load_, cost_, room_;  // by wire
  double idle_, top_ = 1, mean_ = 1;
  int squarings_ = 2;
};

}  // namespace orrery::synthesis
