// SPDX-License-Identifier: Apache-2.0
//
// Prices of links, which increase with their load. Private to the searches of this room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// Stores the load of each wire in bytes, and a cost that grows with a power of the load relative
/// to the busiest link. The cost of a link of mean capacity is about 1 if it is the busiest, and
/// `idle` if it is idle.
class LinkPrices {
 public:
  LinkPrices(const FabricState& fabric, double idle)
      : load_(fabric.wires.size()), cost_(load_.size()), idle_(idle) {
    double sum = 0;
    for (const Wire& wire : fabric.wires) {
      capacity_.push_back(std::max(1.0, wire.capacity));
      sum += capacity_.back();
    }
    mean_ = sum / std::max<double>(1, static_cast<double>(capacity_.size()));
  }

  /// `min_seconds`: the minimum of the busiest link's time in seconds. The power is 2 to the
  /// `squarings`.
  void set(double min_seconds, int squarings) {
    reference_seconds_ = std::max(min_seconds, bottleneck_seconds());
    squarings_ = squarings;
    for (std::uint32_t wire = 0; wire < cost_.size(); ++wire) price(wire);
  }
  void add_load(std::span<const std::uint32_t> wires, double bytes) {
    for (const std::uint32_t wire : wires) {
      load_[wire] += bytes;
      price(wire);
    }
  }
  [[nodiscard]] double cost(std::uint32_t wire) const { return cost_[wire]; }
  /// The time in seconds for which the busiest link is busy.
  [[nodiscard]] double bottleneck_seconds() const {
    double most = 0;
    for (std::size_t wire = 0; wire < load_.size(); ++wire)
      most = std::max(most, load_[wire] / capacity_[wire]);
    return most;
  }

 private:
  void price(std::uint32_t wire) {
    double power = load_[wire] / capacity_[wire] / reference_seconds_;
    for (int i = 0; i < squarings_; ++i) power *= power;
    cost_[wire] = (idle_ + power) * mean_ / capacity_[wire];
  }

  std::vector<double> load_, cost_, capacity_;  // by wire
  double idle_, reference_seconds_ = 1, mean_ = 1;
  int squarings_ = 2;
};

}  // namespace orrery::synthesis
