// SPDX-License-Identifier: Apache-2.0
//
// Well-known algorithms as plans, for any number of ranks unless said otherwise. Chunks are added
// up and stored where the collective wants them; what is in each plan is checked by check_plan() in
// tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// What an algorithm may know of the machine. Ranks are those of the group, from 0 on.
struct AlgorithmShape {
  std::uint32_t ranks = 2;           ///< at least 2
  std::uint32_t inner = 1;           ///< ranks of a host, which stand side by side; divides them
  std::vector<std::uint32_t> order;  ///< in which a ring goes round; empty: ascending
  std::uint32_t pieces = 8;          ///< that pipelined algorithms cut their data into
  std::uint32_t root = 0;            ///< of broadcast and reduce
};

/// An algorithm that has a plan for a collective.
struct PlannedAlgorithm {
  std::string_view name;   ///< "bruck"
  std::string_view about;  ///< one line, with its source
  CollectiveType collective;
  /// It can: number of ranks, hosts.
  bool (*fits)(const AlgorithmShape& shape);
  Plan (*make)(const AlgorithmShape& shape);
};

/// All, by collective, then in the order in which they are told.
[[nodiscard]] std::span<const PlannedAlgorithm> planned_algorithms();

}  // namespace orrery::synthesis
