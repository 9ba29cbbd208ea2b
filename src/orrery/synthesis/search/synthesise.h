// SPDX-License-Identifier: Apache-2.0
//
// A collective made for a fabric: the front door of the search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/bounds/bounds.h"
#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

struct SynthesisQuestion {
  CollectiveType type = CollectiveType::all_gather;
  Bytes bytes{};  ///< the whole buffer of each group (graph::full_buffer)
  /// Ranks that do one together, each list on its own and all at once; they may have ranks in
  /// common. Empty: all ranks, as one.
  std::vector<std::vector<std::uint32_t>> groups;
  std::uint32_t root = 0;   ///< of broadcast and reduce: its place in each group
  std::int64_t chunks = 0;  ///< pieces of each shard; 0: several are tried
  std::uint64_t seed = 1;
  bool relays = true;         ///< devices that are no ranks of a group may hand on
  bool streams = true;        ///< pieces may share links, each at a rate of its own (of several
                              ///< groups only where others may hand on)
  bool constructions = true;  ///< where a fabric is known to be regular, by rule
};

struct Synthesis {
  Schedule schedule;
  std::string method;  ///< by what search or rule
  Bound bound;         ///< of all groups at once
  Time time{};
};

/// All-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce. The same question has
/// the same answer, whatever the machine. An all-reduce is a reduce-scatter, then an all-gather.
/// Errc: usage (ranks, another kind of collective), config_conflict (no way between ranks),
/// limit_exceeded (too large).
[[nodiscard]] Result<Synthesis> synthesise(const FabricState& fabric,
                                           const SynthesisQuestion& question);

}  // namespace orrery::synthesis
