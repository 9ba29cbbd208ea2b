// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/group_numbers.h"

#include <algorithm>
#include <utility>

namespace orrery::trace::chakra {
namespace {

/// Calls `use(rank)` for the first rank of each group.
template <class Use>
void for_each_first(const graph::GroupAxis& axis, std::uint32_t ranks, Use use) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (axis.has(rank) && axis.first(rank) == rank) use(rank);
  }
}

}  // namespace

GroupNumbers::GroupNumbers(std::vector<graph::GroupAxis> axes, std::uint32_t ranks)
    : axes_(std::move(axes)) {
  std::erase_if(axes_, [](const graph::GroupAxis& axis) { return axis.extent() < 2; });
  // Numbers of one axis differ from those of another modulo `step`, a divisor of 500.
  std::uint64_t step = 1;
  for (const std::uint64_t divisor : {20, 10, 5, 4, 2, 1}) {
    if (divisor >= axes_.size()) step = divisor;
  }
  std::uint64_t most = 0;
  for (const graph::GroupAxis& axis : axes_) {
    std::uint64_t groups = 0;
    for_each_first(axis, ranks, [&](std::uint32_t) { ++groups; });
    most = std::max(most, groups * step - 1);
    count_ += groups;
  }
  // Begin at 1, 10, 100 …, so that all numbers have equally many digits.
  std::uint64_t begin = 1;
  for (; begin + most >= 10 * begin; begin *= 10) ++digits_;
  ORRERY_CHECK(begin + most < 1u << 31);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    std::vector<std::uint32_t>& by_first = by_first_.emplace_back(ranks, 0);
    std::uint64_t number = begin + axis;
    for_each_first(axes_[axis], ranks, [&](std::uint32_t rank) {
      by_first[rank] = static_cast<std::uint32_t>(number);
      number += step;
    });
  }
}

std::vector<GroupNumbers::Group> GroupNumbers::all() const {
  std::vector<Group> groups;
  groups.reserve(count_);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (std::uint32_t rank = 0; rank < by_first_[axis].size(); ++rank) {
      if (by_first_[axis][rank] != 0) groups.push_back({by_first_[axis][rank], axis, rank});
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.number < b.number; });
  return groups;
}

}  // namespace orrery::trace::chakra
