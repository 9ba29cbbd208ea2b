// SPDX-License-Identifier: Apache-2.0
//
// Generates a collective for a fabric: the entry point of the search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/bounds/bounds.h"
#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

struct SynthesisQuestion {
  CollectiveType type = CollectiveType::all_gather;
  Bytes bytes{};  ///< the full buffer of each group (graph::full_buffer)
  /// Groups of ranks; each runs one collective, all concurrently. Groups may share ranks. Empty:
  /// one group of all ranks.
  std::vector<std::vector<std::uint32_t>> groups;
  std::uint32_t root = 0;   ///< broadcast and reduce: index of the root in each group
  std::int64_t chunks = 0;  ///< pieces of each shard; 0: the search tries several numbers
  std::uint64_t seed = 1;
  bool relays = true;         ///< devices outside a group may forward its pieces
  bool streams = true;        ///< pieces may share links, each at its own rate (for several groups
                              ///< only with `relays`)
  bool constructions = true;  ///< uses constructions for regular fabrics
};

struct Synthesis {
  Schedule schedule;
  std::string method;  ///< the search method or construction
  Bound bound;         ///< lower bound for all groups together
  Time time{};
};

/// Generates an all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce.
/// Deterministic: the result does not depend on the machine. An all-reduce is a reduce-scatter
/// followed by an all-gather. Errc: usage (ranks, another collective), config_conflict (no route
/// between ranks), limit_exceeded (too large).
[[nodiscard]] Result<Synthesis> synthesize(const FabricState& fabric,
                                           const SynthesisQuestion& question);

}  // namespace orrery::synthesis
