// SPDX-License-Identifier: Apache-2.0
//
// Schedules for rings and tori with equivalent nodes: the pieces of all nodes follow the schedule
// of one node, translated. So only one node is scheduled, and links are free of contention.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// A torus, seen from any of its nodes. Places are ranks.
struct Torus {
  struct Side {
    std::uint32_t dim = 0;
    bool up = true;  ///< towards the next coordinate; a dimension of size two has only this side
    std::int64_t rate = 0;
    Time latency{};
  };
  std::vector<std::int64_t> sizes;
  std::vector<Side> sides;
  std::uint32_t places = 0;
  std::vector<std::uint32_t> wires;  ///< by place, then side

  [[nodiscard]] std::uint32_t neighbor(std::uint32_t place, std::size_t side) const;
  /// The place at `offset` from `place`. An offset is a place as seen from place 0.
  [[nodiscard]] std::uint32_t translate(std::uint32_t place, std::uint32_t offset) const;
};

/// The torus, if the group is all nodes of a torus with identical links along each side; else
/// empty. `reverse_links`: uses the opposite directions of links.
[[nodiscard]] std::optional<Torus> torus_of(const FabricState& fabric,
                                            std::span<const NodeIndex> members, bool reverse_links);

/// An all-gather on a torus. From one node a tree grows over all offsets: when a side is free, it
/// sends the piece to a node that lacks it. The pieces of all nodes do the same. Sides are busy
/// without gaps except at the end. The time is thus n (p - 1) / p over the capacity of a node's
/// links, plus less than the time of a few pieces.
[[nodiscard]] SearchResult torus_gather(const Torus& torus, const Group& group,
                                        const SearchOptions& options);

/// An all-to-all on a torus, over shortest routes. If both directions are equally long, half of the
/// pieces use each. Of the pieces that wait for a side, the one with the most remaining links is
/// first.
[[nodiscard]] SearchResult torus_exchange(const Torus& torus, const Group& group,
                                          const SearchOptions& options);

}  // namespace orrery::synthesis
