// SPDX-License-Identifier: Apache-2.0
//
// Schedules for lines and meshes with equal sides. Each piece moves along one dimension after
// another, and pieces start with different dimensions, so that all links of a corner are always
// busy.
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

/// The mesh, if the group is all nodes of a mesh with equal sides and equivalent links; else empty.
/// `reverse_links`: uses the opposite directions of links.
[[nodiscard]] std::optional<Mesh> mesh_of(const FabricState& fabric,
                                          std::span<const NodeIndex> members, bool reverse_links);

/// An all-gather on a mesh. A piece travels along all D dimensions, starting with one that the
/// position of its node determines. A node that receives it along one dimension forwards it along
/// that one and along the remaining ones. A corner thus receives equally much along each dimension,
/// except for the pieces that D does not divide. The time is n (p - 1) / p over the bandwidth of
/// its links, which is a lower bound.
[[nodiscard]] SearchResult mesh_gather(const Mesh& mesh, const Group& group,
                                       const SearchOptions& options);

}  // namespace orrery::synthesis
