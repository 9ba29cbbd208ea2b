// SPDX-License-Identifier: Apache-2.0
//
// A rank's trace as bytes that can be made another rank's: which differ, and where they stand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/core/strings.h"
#include "orrery/graph/builder.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// The groups of all axes that a program communicates on, numbered: names for files. All numbers
/// have equally many digits. Groups that share ranks differ modulo 500, because a reference
/// simulator tells messages of different groups apart by that only.
class GroupNumbers {
 public:
  GroupNumbers(const Mesh& mesh, const std::array<bool, kAxes>& used);

  /// The group of `rank` on a used axis.
  [[nodiscard]] std::uint32_t of(Axis axis, std::uint32_t rank) const {
    const std::uint32_t first = mesh_.axis(axis).first(rank);
    ORRERY_CHECK(by_first_[static_cast<std::size_t>(axis)][first] != 0);
    return by_first_[static_cast<std::size_t>(axis)][first];
  }
  [[nodiscard]] std::uint32_t digits() const { return digits_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  struct Group {
    std::uint32_t number = 0;
    Axis axis = Axis::tp;
    std::uint32_t first = 0;  ///< rank
  };
  /// All of them, by number.
  [[nodiscard]] std::vector<Group> all() const;

 private:
  const Mesh& mesh_;
  // By axis and rank; 0 for ranks that are not the first of a group. Empty for axes not used.
  std::array<std::vector<std::uint32_t>, kAxes> by_first_;
  std::uint32_t digits_ = 1;
  std::uint64_t count_ = 0;
};

/// Chakra's bytes of one rank, node by node; then the same for other ranks of its role.
class ChakraBytes {
 public:
  /// `pool` holds the names that nodes carry. Begins with the metadata record.
  ChakraBytes(const GroupNumbers& groups, const StringPool& pool, std::uint32_t rank);

  /// As trace::chakra::TraceWriter would write it, with groups by number and peers by rank.
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
    Axis axis;
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
  [[nodiscard]] Axis axis_of(StringId group);

  const GroupNumbers& groups_;
  const StringPool& pool_;
  std::uint32_t rank_;
  std::string bytes_;
  std::vector<GroupPatch> group_patches_;
  std::vector<RankPatch> rank_patches_;
  std::vector<std::int32_t> distances_;          // of rank_patches_, each once
  std::vector<std::pair<StringId, Axis>> axes_;  // as far as met
  std::array<std::string, kAxes> group_texts_;   // numbers of the groups of this rank
  std::vector<std::uint64_t> sorted_;
};

struct WriteOptions;
struct WriteReport;

/// `write_chakra`, with traces longer than `block` bytes made anew for each rank, a block at a
/// time.
[[nodiscard]] Result<WriteReport> write_chakra_in_blocks(const Program& program,
                                                         const WriteOptions& options,
                                                         std::size_t block);

}  // namespace orrery::workload
