// SPDX-License-Identifier: Apache-2.0
//
// Encodes the trace of one rank as bytes that can be patched for other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/strings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/records/group_numbers.h"

namespace orrery::trace::chakra {

/// The encoded trace of one rank, and of other ranks that execute the same nodes.
class RankBytes {
 public:
  /// Writes the metadata record. `pool`: the names of nodes; `kernels`: their kernels.
  RankBytes(const GroupNumbers& groups, const StringPool& pool, const graph::KernelTable& kernels,
            std::uint32_t rank);

  /// Appends a node as TraceWriter would write it. `node` names groups by their axis, which become
  /// group numbers. It gives peers by distance (graph::kPeerRelative), which become ranks.
  void add(const graph::NodeSpec& node);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Removes all bytes; later nodes are of the same rank.
  void clear();

  /// True if the bytes of `rank` differ only in numbers of equal length.
  [[nodiscard]] bool can_patch_for(std::uint32_t rank) const;
  /// Patches the bytes for `rank`, for which can_patch_for() must be true.
  void patch_for(std::uint32_t rank);

 private:
  struct GroupPatch {
    std::size_t at;
    std::size_t axis;
  };
  struct RankPatch {
    std::size_t at;
    std::int32_t distance;
  };
  void add_dependencies(const std::vector<std::uint64_t>& deps);
  void add_collective(const graph::NodeSpec& node);
  void add_message(const graph::NodeSpec& node);
  void add_peer(std::string_view head, std::int32_t distance);
  [[nodiscard]] static std::uint64_t peer_at(std::uint32_t rank, std::int32_t distance);
  [[nodiscard]] std::size_t axis_of(StringId group);

  const GroupNumbers& groups_;
  const StringPool& pool_;
  std::uint32_t rank_;
  std::string bytes_;
  std::vector<GroupPatch> group_patches_;
  std::vector<RankPatch> rank_patches_;
  std::vector<std::int32_t> distances_;                 // of rank_patches_, without duplicates
  std::vector<std::pair<StringId, std::size_t>> axes_;  // axes met so far
  std::vector<std::string> group_texts_;                // by axis: number of this rank's group
  std::vector<std::uint64_t> sorted_;
};

}  // namespace orrery::trace::chakra
