// SPDX-License-Identifier: Apache-2.0
//
// A partition of ranks in classes that only split.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery::sim {

/// A partition of 0 … n-1. When a class splits, its largest part keeps the number. So a rank
/// changes its number at most log2 n times (Hopcroft, "An n log n algorithm for minimizing states
/// in a finite automaton", 1971).
class RankPartition {
 public:
  /// An evaluated rank and its part of its class.
  struct SplitDecision {
    std::uint32_t of_class;
    std::uint32_t part;
    std::uint32_t rank;

    friend auto operator<=>(const SplitDecision&, const SplitDecision&) = default;
  };

  /// `class_of`: by rank; contains each of 0 … classes-1 at least once. O(ranks).
  RankPartition(std::vector<std::uint32_t> class_of, std::uint32_t classes);

  [[nodiscard]] const std::vector<std::uint32_t>& class_of() const { return class_of_; }
  [[nodiscard]] std::uint32_t classes() const { return static_cast<std::uint32_t>(parts_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> members(std::uint32_t one) const {
    return {order_.data() + parts_[one].first, parts_[one].size};
  }

  /// Splits classes: ranks of one class and part stay together, and ranks without a decision are
  /// one more part of their class. Sorts `decisions`; appends the ranks with a new number to
  /// `changed`.
  void split(std::vector<SplitDecision>& decisions, std::vector<std::uint32_t>& changed);

 private:
  struct Part {
    std::uint32_t first = 0;  ///< in order_
    std::uint32_t size = 0;
  };

  void split_class(std::span<const SplitDecision> decisions, std::vector<std::uint32_t>& changed);
  void move(std::uint32_t rank, std::uint32_t to);
  void rename(const Part& part, std::vector<std::uint32_t>& changed);

  std::vector<std::uint32_t> class_of_;
  std::vector<std::uint32_t> order_;  // ranks, class by class
  std::vector<std::uint32_t> place_;  // by rank: index in order_
  std::vector<Part> parts_;           // by class
  std::vector<Part> made_;            // scratch
};

}  // namespace orrery::sim
