// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

/// How far ranks are from each other: one number for hops in every dimension.
class RankDistances {
 public:
  RankDistances(const MultiDimFabric& fabric, platform::Rules rules);

  /// Equal numbers, equal MultiDimFabric::delay where the ports at both ends are equal; 0: the same
  /// rank. ASTRA rules count the lowest dimension that is crossed only.
  [[nodiscard]] std::uint32_t between(std::uint32_t from, std::uint32_t to) const;
  /// ASTRA rules: whether dimensions are crossed that do not count (a finding says so).
  [[nodiscard]] bool uncounted(std::uint32_t from, std::uint32_t to) const;
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
