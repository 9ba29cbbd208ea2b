// SPDX-License-Identifier: Apache-2.0
//
// Rings and tori whose nodes are all alike: what one node's pieces do, all do, moved along. So one
// node is scheduled, and nothing is in anybody's way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// A torus as it looks from any of its nodes. Places are ranks.
struct Torus {
  struct Side {
    std::uint32_t dim = 0;
    bool up = true;  ///< to the next; a dimension of two has this side alone
    std::int64_t rate = 0;
    Time latency{};
  };
  std::vector<std::int64_t> sizes;
  std::vector<Side> sides;
  std::uint32_t places = 0;
  std::vector<std::uint32_t> wires;  ///< by place, then side

  [[nodiscard]] std::uint32_t neighbour(std::uint32_t place, std::size_t side) const;
  /// Where `offset`, a place as seen from place 0, is as seen from `place`.
  [[nodiscard]] std::uint32_t translated(std::uint32_t place, std::uint32_t offset) const;
};

/// The group is all nodes of a torus whose links are alike along each side. `against`: the links'
/// other directions. Empty: it is not that.
[[nodiscard]] std::optional<Torus> torus_of(const FabricState& fabric,
                                            std::span<const NodeIndex> members, bool against);

/// An all-gather on it: from one node a tree grows over all offsets, each side as soon as it is
/// free to any that lacks the piece; every node's piece does the same. Sides are busy without a gap
/// but at the end, so that it takes n (p - 1) / p over what a node's links carry, but for less than
/// some pieces' time.
[[nodiscard]] SearchResult torus_gather(const Torus& torus, const Group& group,
                                        const SynthesisEffort& effort);

/// An all-to-all on it, over shortest ways. Where both ways round are as long, every other piece
/// takes the one; of those that wait for a side the one with the most links to go is first.
[[nodiscard]] SearchResult torus_exchange(const Torus& torus, const Group& group,
                                          const SynthesisEffort& effort);

}  // namespace orrery::synthesis
