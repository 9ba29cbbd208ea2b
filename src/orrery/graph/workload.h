// SPDX-License-Identifier: Apache-2.0
//
// What all ranks do, and the process groups they do it in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/graph/node_provenance.h"

namespace orrery::graph {

/// Ranks that communicate under one name, in ring order (the order of the list, which need not be
/// sorted). An empty list stands for all ranks.
struct ProcessGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// Groups that every rank finds by one name: those ranks that differ from it in some digits of the
/// rank's number only. A digit is rank / stride % ((count - 1) × step + 1), and the members of a
/// group have the values 0, step, 2 × step … of it; other ranks have no such group. Where `ranks`
/// are listed, a rank's number is its place among them, and the others have no such group.
struct GroupAxis {
  struct Digit {
    std::uint32_t stride = 1;
    std::uint32_t count = 1;
    std::uint32_t step = 1;

    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const {
      return rank / stride % ((count - 1) * step + 1);
    }

    friend bool operator==(const Digit&, const Digit&) = default;
  };
  std::string name;
  std::vector<Digit> digits;           ///< the first turns fastest: the order of the group's ring
  std::vector<std::uint32_t> ranks{};  ///< ascending; empty: all

  /// Members of one group.
  [[nodiscard]] std::uint32_t extent() const;
  /// The member whose digits are all 0: it names the group.
  [[nodiscard]] std::uint32_t first(std::uint32_t rank) const;
  /// `rank`'s place in its group, 0 … extent()-1.
  [[nodiscard]] std::uint32_t position(std::uint32_t rank) const;
  /// Whether `rank` has a group on this axis.
  [[nodiscard]] bool has(std::uint32_t rank) const;
  /// Who is in the group that `first` names, in ring order.
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t first) const;

 private:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t rank_at(std::uint32_t number) const;  // beyond the last: no rank's
};

/// One Graph per distinct rank and which rank uses which. Ranks with equal files share one Graph.
struct Workload {
  std::vector<GraphRef> graphs;              ///< distinct ones, in order of first use
  std::vector<std::uint32_t> graph_of_rank;  ///< size = number of ranks
  std::map<std::string, ProcessGroup, std::less<>> groups;  ///< by name (Chakra's pg_name)
  /// Groups by axis. A collective whose group has such a name runs in the axis' group of its own
  /// rank; so ranks in different places can share one graph. Names differ from those in `groups`.
  std::map<std::string, GroupAxis, std::less<>> axes;
  /// Algorithms given as Chakra traces ("custom collectives"): path prefix → one graph per position
  /// in the group.
  std::map<std::string, std::vector<GraphRef>, std::less<>> custom_collectives;
  /// Several jobs on one machine: which job a rank is of, from 0 on; empty: there is one.
  std::vector<std::uint32_t> job_of_rank{};
  std::vector<std::string> files;  ///< the file each rank was read from, for error messages
  /// Ascending: ranks that have no trace, and do what the rank before them does (see
  /// chakra::LoadOptions::some_ranks).
  std::vector<std::uint32_t> without_trace{};
  /// Of recorded traces just read: from the first event of all ranks to the end of the last.
  std::optional<Time> recorded;
  std::string recorded_on;  ///< … what its driver calls the first rank's device; empty: not said
  WorkloadProvenance stands{};  ///< of what was changed of them since
  Findings findings;

  [[nodiscard]] std::uint32_t rank_count() const {
    return static_cast<std::uint32_t>(graph_of_rank.size());
  }
  [[nodiscard]] const Graph& graph(std::uint32_t rank) const {
    return *graphs[graph_of_rank[rank]];
  }
  /// Bytes of graphs that are in a file instead of in memory (see Spill).
  [[nodiscard]] std::uint64_t spilled_bytes() const;
  /// What to call the group that `group` means to `rank`, among all groups: one on an axis is named
  /// with its ranks, "tp (ranks 8-9)" (see rank_words), unless it is the only one.
  [[nodiscard]] std::string group_name(std::string_view group, std::uint32_t rank) const;
};

}  // namespace orrery::graph
