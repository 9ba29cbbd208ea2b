// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

/// Distances between ranks. One number encodes the hops in every dimension.
class RankDistances {
 public:
  RankDistances(const MultiDimFabric& fabric, platform::Rules rules);

  /// Pairs of ranks with equal numbers and equal ports have equal MultiDimFabric::delay. 0: the
  /// same rank. ASTRA rules: only the lowest dimension in which the ranks differ counts.
  [[nodiscard]] std::uint32_t between(std::uint32_t from, std::uint32_t to) const;
  /// ASTRA rules: whether the ranks differ in further dimensions, which do not count (reported as a
  /// finding).
  [[nodiscard]] bool uncounted(std::uint32_t from, std::uint32_t to) const;
  /// The dimensions in which the ranks differ: bit d for dimension d.
  [[nodiscard]] std::uint64_t crossed(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::span<const std::uint32_t> coordinates(std::uint32_t rank) const {
    return {coordinates_.data() + rank * dims_.size(), dims_.size()};
  }

 private:
  struct Dim {
    std::uint32_t size;
    std::uint32_t stride;
    bool ring;
  };
  std::vector<Dim> dims_;
  bool astra_;
  std::vector<std::uint32_t> coordinates_;  // rank × dimension
};

}  // namespace orrery::model
