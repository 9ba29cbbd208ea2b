// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/rank_list.h"

namespace orrery::graph {

std::uint32_t GroupAxis::extent() const {
  std::uint32_t product = 1;
  for (const Digit& digit : digits) product *= digit.count;
  return product;
}

std::uint32_t GroupAxis::first(std::uint32_t rank) const {
  const std::uint32_t number = number_of(rank);
  std::uint32_t least = number;
  for (const Digit& digit : digits) least -= digit.of(number) * digit.stride;
  return rank_at(least);
}

std::uint32_t GroupAxis::position(std::uint32_t rank) const {
  const std::uint32_t number = number_of(rank);
  std::uint32_t place = 0, weight = 1;
  for (const Digit& digit : digits) {
    place += digit.of(number) / digit.step * weight;
    weight *= digit.count;
  }
  return place;
}

bool GroupAxis::has(std::uint32_t rank) const {
  if (!ranks.empty() && !std::binary_search(ranks.begin(), ranks.end(), rank)) return false;
  const std::uint32_t number = number_of(rank);
  return std::all_of(digits.begin(), digits.end(),
                     [&](const Digit& digit) { return digit.of(number) % digit.step == 0; });
}

std::vector<std::uint32_t> GroupAxis::members(std::uint32_t first) const {
  std::vector<std::uint32_t> made{number_of(first)};
  for (const Digit& digit : digits) {
    const std::size_t known = made.size();
    for (std::uint32_t i = 1; i < digit.count; ++i) {
      for (std::size_t k = 0; k < known; ++k)
        made.push_back(made[k] + i * digit.step * digit.stride);
    }
  }
  for (std::uint32_t& member : made) member = rank_at(member);
  return made;
}

std::uint32_t GroupAxis::number_of(std::uint32_t rank) const {
  if (ranks.empty()) return rank;
  return static_cast<std::uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) -
                                    ranks.begin());
}

std::uint32_t GroupAxis::rank_at(std::uint32_t number) const {
  if (ranks.empty()) return number;
  return number < ranks.size() ? ranks[number] : ~std::uint32_t{0};
}

std::string Workload::place(std::uint32_t rank) const {
  return rank < files.size() ? files[rank] : fmt::format("rank {}", rank);
}

std::uint64_t Workload::spilled_bytes() const {
  std::uint64_t sum = 0;
  for (const GraphRef& graph : graphs) sum += graph->spilled_bytes();
  return sum;
}

namespace {

/// `rank`'s group on an axis in words, "ranks 2-3", without listing its members.
std::string words_of(const GroupAxis& axis, std::uint32_t rank) {
  std::vector<GroupAxis::Digit> inner = axis.digits;
  std::sort(inner.begin(), inner.end(),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  // The innermost digits can enumerate neighbors; every value of the others starts a range of
  // `together` ranks.
  std::uint32_t together = 1;
  std::uint64_t pieces = 1;
  std::vector<GroupAxis::Digit> outer;
  for (const GroupAxis::Digit& digit : inner) {
    if (digit.count == 1) continue;
    if (outer.empty() && digit.step == 1 && digit.stride == together) {
      together *= digit.count;
    } else {
      outer.push_back(digit);
      pieces *= digit.count;
    }
  }
  return format_ranks(pieces, [&](std::uint64_t number) {
    std::uint32_t start = axis.first(rank);
    for (const GroupAxis::Digit& digit : outer) {
      start += static_cast<std::uint32_t>(number % digit.count) * digit.step * digit.stride;
      number /= digit.count;
    }
    return RankRange{start, start + together - 1};
  });
}

}  // namespace

std::string Workload::group_name(std::string_view group, std::uint32_t rank) const {
  const auto axis = axes.find(group);
  if (axis == axes.end()) return std::string(group);
  const std::vector<std::uint32_t>& counted = axis->second.ranks;
  if (axis->second.extent() == (counted.empty() ? rank_count() : counted.size()))
    return std::string(group);
  return fmt::format("{} ({})", group,
                     counted.empty()
                         ? words_of(axis->second, rank)
                         : format_ranks(axis->second.members(axis->second.first(rank))));
}

}  // namespace orrery::graph
