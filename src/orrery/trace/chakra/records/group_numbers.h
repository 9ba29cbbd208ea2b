// SPDX-License-Identifier: Apache-2.0
//
// Groups by axis as files name them: by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/workload.h"

namespace orrery::trace::chakra {

/// The groups of some axes, numbered: names for files. All numbers have equally many digits. Groups
/// that share ranks differ modulo 500, because a reference simulator tells messages of different
/// groups apart by that only.
class GroupNumbers {
 public:
  /// Of the groups with more than one member, among ranks 0 … `ranks` - 1.
  GroupNumbers(std::vector<graph::GroupAxis> axes, std::uint32_t ranks);

  [[nodiscard]] const std::vector<graph::GroupAxis>& axes() const { return axes_; }
  /// The group of `rank` on one of the axes.
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
    std::uint32_t first = 0;  ///< rank
  };
  /// All of them, by number.
  [[nodiscard]] std::vector<Group> all() const;

 private:
  std::vector<graph::GroupAxis> axes_;
  // By axis and rank; 0 for ranks that are not the first of a group.
  std::vector<std::vector<std::uint32_t>> by_first_;
  std::uint32_t digits_ = 1;
  std::uint64_t count_ = 0;
};

}  // namespace orrery::trace::chakra
