// SPDX-License-Identifier: Apache-2.0
//
// A rank's trace as bytes that can be made another rank's: which differ, and where they stand.
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

/// Chakra's bytes of one rank, node by node; then the same for other ranks that do the same.
class RankBytes {
 public:
  /// `pool` holds the names that nodes carry, `kernels` all that they compute. Begins with the
  /// metadata record.
  RankBytes(const GroupNumbers& groups, const StringPool& pool, const graph::KernelTable& kernels,
            std::uint32_t rank);

  /// As TraceWriter would write it: groups, named by axis in `node`, by number, and peers, given by
  /// their distance (graph::kPeerRelative), by rank.
  void add(const graph::NodeSpec& node);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Forgets what there is; what comes later is of the same rank.
  void clear();

  /// Whether the bytes of `rank` differ in nothing but equally long numbers.
  [[nodiscard]] bool fits(std::uint32_t rank) const;
  /// Makes them those of `rank`, which fits.
  void turn_into(std::uint32_t rank);

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
  std::vector<std::int32_t> distances_;                 // of rank_patches_, each once
  std::vector<std::pair<StringId, std::size_t>> axes_;  // as far as met
  std::vector<std::string> group_texts_;                // numbers of this rank's groups, by axis
  std::vector<std::uint64_t> sorted_;
};

}  // namespace orrery::trace::chakra
