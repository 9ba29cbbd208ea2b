// SPDX-License-Identifier: Apache-2.0
//
// What all ranks do, and the process groups they do it in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Ranks that communicate under one name, in ring order (the order of the list, which need not be
/// sorted). An empty list stands for all ranks.
struct ProcessGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// One Graph per distinct rank and which rank uses which. Ranks with equal files share one Graph.
struct Workload {
  std::vector<GraphRef> graphs;              ///< distinct ones, in order of first use
  std::vector<std::uint32_t> graph_of_rank;  ///< size = number of ranks
  std::map<std::string, ProcessGroup, std::less<>> groups;  ///< by name (Chakra's pg_name)
  /// Algorithms given as Chakra traces ("custom collectives"): path prefix → one graph per position
  /// in the group.
  std::map<std::string, std::vector<GraphRef>, std::less<>> custom_collectives;
  std::vector<std::string> files;  ///< the file each rank was read from, for error messages
  Findings findings;

  [[nodiscard]] std::uint32_t rank_count() const {
    return static_cast<std::uint32_t>(graph_of_rank.size());
  }
  [[nodiscard]] const Graph& graph(std::uint32_t rank) const {
    return *graphs[graph_of_rank[rank]];
  }
};

}  // namespace orrery::graph
