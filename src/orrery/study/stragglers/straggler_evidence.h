// SPDX-License-Identifier: Apache-2.0
//
// Excess time of ranks, kernel classes and links of a recording over the level of their peers, per
// step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orrery/graph/stragglers/peer_levels.h"
#include "orrery/study/stragglers/straggler_search.h"

namespace orrery::study {

/// A kernel class is an operation if it is known ("attention"), else a kernel name. All host work
/// is one class, and all copies are one. Steps are those of graph::steps_of_works.
class StragglerEvidence {
 public:
  /// `steps`: number of steps in the workload. O(nodes log nodes).
  StragglerEvidence(const graph::Workload& workload, std::int64_t steps);

  [[nodiscard]] const graph::PeerLevels& levels() const { return levels_; }
  [[nodiscard]] const std::vector<graph::CommGroup>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
  /// The class of a node, or ~0u if it is not the rank's own work.
  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank, graph::NodeId n) const {
    return class_of_[rank][n];
  }

  /// Excess of a rank over its level in all steps; time below the level is subtracted.
  [[nodiscard]] Time rank_excess(std::uint32_t rank) const;
  /// Positive excess of a class, summed over ranks and steps.
  [[nodiscard]] Time class_excess(std::uint32_t number) const;
  [[nodiscard]] static Time line_excess(const graph::CommGroup& line);

  /// Number of steps in which `rank` had the largest excess of its peers.
  [[nodiscard]] SlowestTest rank_test(std::uint32_t rank) const;
  /// Number of steps in which all of `ranks` had larger excesses than their other peers.
  [[nodiscard]] SlowestTest among_worst_test(const std::vector<std::uint32_t>& ranks) const;
  /// Number of communications of a group that took longer than the median of equivalent groups (by
  /// chance half of them do). A group without equivalents is compared with its own median.
  [[nodiscard]] SlowestTest line_test(std::size_t number) const;

  /// The class with the largest excess on `rank`, if the relative excess of all its other classes
  /// together is below `else_` times the relative excess of that class. Relative excess: excess /
  /// level.
  [[nodiscard]] std::optional<std::uint32_t> only_class_of(std::uint32_t rank, double else_) const;
  /// The same condition for class `number` over all ranks.
  [[nodiscard]] bool is_only_class(std::uint32_t number, double else_) const;

 private:
  /// A class on one rank.
  struct Cell {
    Time level{};              ///< time at the level of its peers, all steps
    std::vector<Time> excess;  ///< by step
  };
  void add_rank(const graph::Workload& workload, std::uint32_t rank);
  [[nodiscard]] Time excess_in(std::uint32_t rank, std::size_t step) const {
    return by_step_[rank][step];
  }

  std::size_t steps_;
  graph::PeerLevels levels_;
  std::vector<graph::CommGroup> lines_;
  std::vector<std::string> classes_;
  std::vector<std::vector<std::uint32_t>> class_of_;           // by rank and node
  std::vector<std::map<std::uint32_t, Cell>> cells_;           // by rank and class
  std::vector<std::vector<Time>> by_step_;                     // by rank and step
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  // of classes
};

}  // namespace orrery::study
