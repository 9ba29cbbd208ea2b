// SPDX-License-Identifier: Apache-2.0
//
// Lines and meshes with equal sides: each piece goes along one dimension after another, and pieces
// begin with different ones, so that all links of a corner are busy from the first byte to the
// last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

/// A mesh of `dims` dimensions, each of `size` nodes. Places are ranks. Its side 2 d is towards
/// higher coordinates of dimension d, side 2 d + 1 towards lower ones.
struct Mesh {
  static constexpr std::uint32_t kNoWire = ~0U;
  std::uint32_t size = 0, dims = 0, places = 0;
  std::int64_t rate = 0;
  Time latency{};
  std::vector<std::uint32_t> wires;  ///< by place, then side; kNoWire: the mesh ends there
};

/// The group is all nodes of a mesh whose sides are equal and whose links are alike. `against`: the
/// links' other directions. Empty: it is not that.
[[nodiscard]] std::optional<Mesh> mesh_of(const FabricState& fabric,
                                          std::span<const NodeIndex> members, bool against);

/// An all-gather on it. Of D dimensions a piece goes along all, beginning with the one that its
/// node's place says; whoever gets it along one hands it on along that one and along those still
/// to come. A corner so gets of each dimension as much as of every other, but for the pieces that
/// D does not divide: n (p - 1) / p over what its links carry, which is what no way can beat.
[[nodiscard]] SearchResult mesh_gather(const Mesh& mesh, const Group& group,
                                       const SynthesisEffort& effort);

}  // namespace orrery::synthesis
