// SPDX-License-Identifier: Apache-2.0
//
// Who plays a program: a rank for all those that do the same with the same neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// A role has one player, its first rank. But ranks of ring attention wait for each other's blocks,
/// and their neighbours are near or far: there each coordinate of cp has one, with unequal experts
/// each pair of such coordinates.
class RankClasses {
 public:
  RankClasses() = default;
  /// O(ranks) at most.
  explicit RankClasses(const workload::Program& program);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ranks_.size()); }
  [[nodiscard]] std::uint32_t rank(std::uint32_t rank_class) const { return ranks_[rank_class]; }
  /// Who plays that rank's part.
  [[nodiscard]] std::uint32_t class_of(const workload::Program& program, std::uint32_t rank) const;
  /// The player with which `player` exchanges a message, `shift` further on the axis; and whose
  /// rank that is.
  struct Peer {
    std::uint32_t rank_class = 0, rank = 0;
  };
  [[nodiscard]] Peer peer(const workload::Program& program, std::uint32_t rank_class,
                          workload::Axis axis, std::int32_t shift) const;

 private:
  [[nodiscard]] std::size_t number(const workload::Program& program, std::uint32_t rank) const;

  // With rings: coordinates that are told apart.
  std::uint32_t by_cp_ = 1, by_expert_ = 1;
  std::vector<std::uint32_t> ranks_;    // by player
  std::vector<std::uint32_t> players_;  // by number
};

}  // namespace orrery::estimate
