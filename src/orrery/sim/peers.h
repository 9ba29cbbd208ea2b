// SPDX-License-Identifier: Apache-2.0
//
// Whom each rank sends to and receives from.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "orrery/graph/workload.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// By graph: the ranks that its sends and receives name, each once, in the order of the first node
/// that names it. Graphs of one shape (see folding.h) have their peers in the same order.
class Peers {
 public:
  explicit Peers(const graph::Workload& workload);

  /// Where `rank` has `peer` in its list; kNone: nowhere.
  [[nodiscard]] std::uint32_t place(std::uint32_t rank, std::uint32_t peer) const;
  /// Whom `rank` has there.
  [[nodiscard]] std::uint32_t at(std::uint32_t rank, std::uint32_t place) const;

 private:
  struct List {
    std::vector<std::int64_t> peers;  ///< a rank, or a distance from one's own
    std::vector<bool> relative;
    std::unordered_map<std::int64_t, std::uint32_t> ranks, distances;  ///< → place
  };
  const graph::Workload& workload_;
  std::vector<List> lists_;  // by graph
};

}  // namespace orrery::sim
