// SPDX-License-Identifier: Apache-2.0
//
// Classes of ranks with the same work and equivalent neighbors. One rank represents each class.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// Each role is one class, represented by its first rank. With ring attention, ranks wait for the
/// blocks of neighbors at different distances. Then each coordinate of cp is a class; with unequal
/// experts, each pair of a cp and an expert coordinate.
class RankClasses {
 public:
  RankClasses() = default;
  /// At most O(ranks).
  explicit RankClasses(const workload::Program& program);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] std::uint32_t rank(std::uint32_t rank_class) const { return ranks_[rank_class]; }
  /// The class of a rank.
  [[nodiscard]] std::uint32_t class_of(const workload::Program& program, std::uint32_t rank) const;
  /// The class and the rank with which `rank_class` exchanges a message, `shift` positions further
  /// on the axis.
  struct Peer {
    std::uint32_t rank_class = 0, rank = 0;
  };
  [[nodiscard]] Peer peer(const workload::Program& program, std::uint32_t rank_class,
                          workload::Axis axis, std::int32_t shift) const;

 private:
  [[nodiscard]] std::size_t number(const workload::Program& program, std::uint32_t rank) const;

  // With ring attention: the number of coordinates with separate classes.
  std::uint32_t by_cp_ = 1, by_expert_ = 1;
  std::vector<std::uint32_t> ranks_;            // representative rank by class
  std::vector<std::uint32_t> class_of_number_;  // class by number()
};

}  // namespace orrery::estimate
