// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/dimensions/rank_distances.h"

namespace orrery::model {

RankDistances::RankDistances(const MultiDimFabric& fabric, platform::Rules rules)
    : astra_(rules == platform::Rules::astra) {
  for (std::size_t d = 0; d < fabric.dim_count(); ++d) {
    dims_.push_back({static_cast<std::uint32_t>(fabric.dim(d).size), fabric.stride(d),
                     fabric.dim(d).block == platform::Block::ring});
  }
  coordinates_.resize(fabric.rank_count() * dims_.size());
  for (std::size_t at = dims_.size(); at < coordinates_.size(); at += dims_.size()) {
    bool carry = true;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      std::uint32_t next = coordinates_[at - dims_.size() + d] + (carry ? 1 : 0);
      carry = next == dims_[d].size;
      if (carry) next = 0;
      coordinates_[at + d] = next;
    }
  }
}

std::uint32_t RankDistances::between(std::uint32_t from, std::uint32_t to) const {
  const auto a = coordinates(from);
  const auto b = coordinates(to);
  std::uint32_t sum = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (a[d] == b[d]) continue;
    // A digit must be less than the size of the dimension, so the two hops of a switch count as 1.
    std::uint32_t hops = 1;
    if (dims_[d].ring) {
      const std::uint32_t clockwise = b[d] > a[d] ? b[d] - a[d] : dims_[d].size - (a[d] - b[d]);
      hops = clockwise < dims_[d].size - clockwise ? clockwise : dims_[d].size - clockwise;
    }
    sum += hops * dims_[d].stride;
    if (astra_) break;
  }
  return sum;
}

bool RankDistances::uncounted(std::uint32_t from, std::uint32_t to) const {
  const auto a = coordinates(from);
  const auto b = coordinates(to);
  std::size_t crossed = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d) crossed += a[d] != b[d] ? 1 : 0;
  return astra_ && crossed > 1;
}

std::uint64_t RankDistances::crossed(std::uint32_t from, std::uint32_t to) const {
  const auto a = coordinates(from), b = coordinates(to);
  std::uint64_t mask = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d)
    if (a[d] != b[d]) mask |= std::uint64_t{1} << (d % 64);
  return mask;
}

}  // namespace orrery::model
