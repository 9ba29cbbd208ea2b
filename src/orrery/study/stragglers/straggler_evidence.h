// SPDX-License-Identifier: Apache-2.0
//
// How far ranks, classes of kernels and links of a recording are above their peers' level, step by
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

/// Classes of kernels are operations where they are known ("attention"), else names; all that hosts
/// do is one class. Steps are graph::steps_of_works.
class StragglerEvidence {
 public:
  /// O(nodes log nodes)
  StragglerEvidence(const graph::Workload& workload, std::int64_t steps);

  [[nodiscard]] const graph::PeerLevels& levels() const { return levels_; }
  [[nodiscard]] const std::vector<graph::CommLine>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
  /// The node's class, or ~0u: it is none of the rank's own work.
  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank, graph::NodeId n) const {
    return class_of_[rank][n];
  }

  /// Above level, less what is below; of all steps.
  [[nodiscard]] Time rank_excess(std::uint32_t rank) const;
  /// Above level: the sum over ranks and steps in which it is.
  [[nodiscard]] Time class_excess(std::uint32_t number) const;
  [[nodiscard]] static Time line_excess(const graph::CommLine& line);

  /// In how many steps it was the farthest above level of its peers.
  [[nodiscard]] SlowestTest rank_test(std::uint32_t rank) const;
  /// In how many steps all of them were the farthest.
  [[nodiscard]] SlowestTest among_worst_test(const std::vector<std::uint32_t>& ranks) const;
  /// How many of its communications took longer than the median of its equals' (half of them do, by
  /// chance); without equals than its own.
  [[nodiscard]] SlowestTest line_test(std::size_t number) const;

  /// The class that is above its level on this rank, where for their time all others are at most
  /// `else_` times as far.
  [[nodiscard]] std::optional<std::uint32_t> only_class_of(std::uint32_t rank, double else_) const;
  /// Likewise of all ranks together.
  [[nodiscard]] bool is_only_class(std::uint32_t number, double else_) const;

 private:
  /// A class on one rank.
  struct Cell {
    Time level{};              ///< what it would take, of all steps
    std::vector<Time> excess;  ///< by step
  };
  void add_rank(const graph::Workload& workload, std::uint32_t rank);
  [[nodiscard]] Time excess_in(std::uint32_t rank, std::size_t step) const {
    return by_step_[rank][step];
  }

  std::size_t steps_;
  graph::PeerLevels levels_;
  std::vector<graph::CommLine> lines_;
  std::vector<std::string> classes_;
  std::vector<std::vector<std::uint32_t>> class_of_;           // by rank and node
  std::vector<std::map<std::uint32_t, Cell>> cells_;           // by rank and class
  std::vector<std::vector<Time>> by_step_;                     // by rank and step
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  // of classes
};

}  // namespace orrery::study
