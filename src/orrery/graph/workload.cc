// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/workload.h"

#include <fmt/format.h>

namespace orrery::graph {

std::uint32_t GroupAxis::extent() const {
  std::uint32_t product = 1;
  for (const Digit& digit : digits) product *= digit.count;
  return product;
}

std::uint32_t GroupAxis::first(std::uint32_t rank) const {
  std::uint32_t least = rank;
  for (const Digit& digit : digits) least -= digit.of(rank) * digit.stride;
  return least;
}

std::uint32_t GroupAxis::position(std::uint32_t rank) const {
  std::uint32_t place = 0, weight = 1;
  for (const Digit& digit : digits) {
    place += digit.of(rank) / digit.step * weight;
    weight *= digit.count;
  }
  return place;
}

bool GroupAxis::has(std::uint32_t rank) const {
  for (const Digit& digit : digits) {
    if (digit.of(rank) % digit.step != 0) return false;
  }
  return true;
}

std::vector<std::uint32_t> GroupAxis::members(std::uint32_t first) const {
  std::vector<std::uint32_t> ranks{first};
  for (const Digit& digit : digits) {
    const std::size_t known = ranks.size();
    for (std::uint32_t i = 1; i < digit.count; ++i) {
      for (std::size_t k = 0; k < known; ++k)
        ranks.push_back(ranks[k] + i * digit.step * digit.stride);
    }
  }
  return ranks;
}

std::uint64_t Workload::spilled_bytes() const {
  std::uint64_t sum = 0;
  for (const GraphRef& graph : graphs) sum += graph->spilled_bytes();
  return sum;
}

std::string Workload::group_name(std::string_view group, std::uint32_t rank) const {
  const auto axis = axes.find(group);
  if (axis == axes.end() || axis->second.extent() == rank_count()) return std::string(group);
  return fmt::format("{} of rank {}", group, axis->second.first(rank));
}

}  // namespace orrery::graph
