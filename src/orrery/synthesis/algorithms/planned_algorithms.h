// SPDX-License-Identifier: Apache-2.0
//
// Plans of well-known algorithms, for any number of ranks unless stated otherwise. Each stores its
// results where the collective requires them; tests verify every plan with check_plan().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// The machine as an algorithm sees it. Ranks are those of the group, from 0.
struct AlgorithmShape {
  std::uint32_t ranks = 2;           ///< at least 2
  std::uint32_t inner = 1;           ///< ranks per host, with consecutive numbers; divides `ranks`
  std::vector<std::uint32_t> order;  ///< order of ranks on a ring; empty: ascending
  std::uint32_t pieces = 8;          ///< number of pieces of pipelined algorithms
  std::uint32_t root = 0;            ///< root rank of broadcast and reduce
  /// Ranks per host, with consecutive numbers, if hosts are unequal; `inner` is 1 then.
  std::vector<std::uint32_t> unequal_hosts{};
  std::uint32_t ring_chunks = 1;  ///< `rings`: number of chunks of each ring, all concurrent
};

/// An algorithm that has a plan for a collective.
struct PlannedAlgorithm {
  std::string_view name;         ///< "bruck"
  std::string_view description;  ///< one line, with its source
  CollectiveType collective;
  /// Whether it supports this number of ranks and hosts.
  bool (*supports)(const AlgorithmShape& shape);
  Plan (*build)(CollectiveType type, const AlgorithmShape& shape);

  [[nodiscard]] Plan plan(const AlgorithmShape& shape) const { return build(collective, shape); }
};

/// All algorithms, by collective, then in the order of presentation.
[[nodiscard]] std::span<const PlannedAlgorithm> planned_algorithms();

}  // namespace orrery::synthesis
