// SPDX-License-Identifier: Apache-2.0
//
// Numbers for process groups along axes of parallelism, used as group names in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/workload.h"

namespace orrery::trace::chakra {

/// Numbers the groups of some axes. All numbers have equally many digits. Groups that share ranks
/// have different numbers modulo 500, because a reference simulator distinguishes messages of
/// different groups only by this value.
class GroupNumbers {
 public:
  /// Numbers the groups with more than one member among ranks 0 … `ranks` - 1.
  GroupNumbers(std::vector<graph::GroupAxis> axes, std::uint32_t ranks);

  [[nodiscard]] const std::vector<graph::GroupAxis>& axes() const { return axes_; }
  /// Number of the group of `rank` along an axis.
  [[nodiscard]] std::uint32_t of(std::size_t axis, std::uint32_t rank) const {
    const std::uint32_t first = axes_[axis].first(rank);
    ORRERY_CHECK(by_first_[axis][first] != 0);
    return by_first_[axis][first];
  }
  [[nodiscard]] std::uint32_t digits() const { return digits_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  struct Group {
    std::uint32_t number = 0;
    std::size_t axis = 0;
    std::uint32_t first = 0;  ///< first rank of the group
  };
  /// All groups, ascending by number.
  [[nodiscard]] std::vector<Group> all() const;

 private:
  std::vector<graph::GroupAxis> axes_;
  // By axis and rank: the group's number; 0 for ranks that are not the first of a group.
  std::vector<std::vector<std::uint32_t>> by_first_;
  std::uint32_t digits_ = 1;
  std::uint64_t count_ = 0;
};

}  // namespace orrery::trace::chakra
