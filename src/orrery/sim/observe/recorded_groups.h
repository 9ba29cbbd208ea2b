// SPDX-License-Identifier: Apache-2.0
//
// The groups of ranks whose collectives are recorded.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Groups as simulated ranks use them, in classes of equivalent groups (Recording). A group is a
/// communicator, or those of its members that a collective over some of the dimensions connects. If
/// a simulated rank represents others, one communicator represents all equivalent ones, and parts
/// of it with the same representatives are equivalent.
class RecordedGroups {
 public:
  explicit RecordedGroups(const EngineRun& run) : run_(run) {}

  /// A group of a simulated rank.
  struct OwnGroup {
    std::uint32_t group_class = 0;
    std::uint32_t represented = 0;  ///< number of its members that the rank represents
  };

  /// The group in which a simulated rank, as `member` of `communicator`, runs its collective `node`
  /// over `rings`: the members that differ from it in these rings only. Without rings: all members.
  OwnGroup add_use(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                   std::uint32_t member, std::optional<std::span<const model::RingShape>> rings);
  /// The `member` of an earlier add_use() with rings; kNone: there is none.
  [[nodiscard]] std::uint32_t known_member(std::uint32_t rank, std::uint32_t communicator) const {
    if (uses_.empty()) return kNone;
    for (const Use& use : uses_[rank])
      if (use.communicator == communicator) return use.member;
    return kNone;
  }
  /// The number of members of a group of this class that the rank represents; it must use one.
  [[nodiscard]] std::uint32_t represented(std::uint32_t rank, std::uint32_t group_class) const;
  /// The number of members of each group of a class.
  [[nodiscard]] std::uint32_t size(std::uint32_t group_class) const { return sizes_[group_class]; }
  /// The communicator of a class, as simulated.
  [[nodiscard]] std::uint32_t communicator(std::uint32_t group_class) const {
    return communicators_[group_class];
  }
  [[nodiscard]] std::uint32_t classes() const { return static_cast<std::uint32_t>(sizes_.size()); }

  /// Lists all groups, and the groups of each rank of the workload. O(ranks × their groups).
  void finish(Recording& recording) const;

 private:
  /// Part of a communicator: the members that differ from member `base` in multiples of `strides`.
  struct Part {
    std::uint32_t communicator = 0;
    std::uint32_t base = 0;
    std::vector<std::uint32_t> strides;

    friend auto operator<=>(const Part&, const Part&) = default;
  };
  /// Parts of a communicator with equal keys are equivalent.
  struct PartKey {
    std::uint32_t communicator = 0;
    std::vector<std::uint32_t> strides;
    std::vector<std::uint32_t> representatives;  ///< of its members, ascending

    friend auto operator<=>(const PartKey&, const PartKey&) = default;
  };
  struct Use : OwnGroup {
    std::uint32_t communicator = 0;
    std::uint32_t member = kNone;  ///< kNone: used without rings
    graph::NodeId node = 0;
    bool whole = false;                   ///< all members of the communicator
    std::vector<model::RingShape> rings;  ///< otherwise; empty: only the rank itself
  };

  [[nodiscard]] static Part part(std::uint32_t communicator, std::uint32_t member,
                                 std::span<const model::RingShape> rings);
  [[nodiscard]] static std::vector<std::uint32_t> members(const Part& part,
                                                          std::span<const model::RingShape> rings);
  std::uint32_t new_class(std::uint32_t communicator, std::uint32_t size);
  [[nodiscard]] std::uint32_t class_of(const Use& use, std::uint32_t member);
  [[nodiscard]] std::uint32_t count_represented(const Use& use, std::uint32_t member) const;
  [[nodiscard]] RecordedGroup recorded(const Part& part,
                                       std::span<const model::RingShape> rings) const;
  [[nodiscard]] std::uint32_t communicator_of(std::uint32_t real, const Use& use) const;

  const EngineRun& run_;
  std::vector<std::uint32_t> sizes_;                  // by class
  std::vector<std::uint32_t> communicators_;          // by class
  std::vector<std::uint32_t> class_of_communicator_;  // kNone: not used as a whole
  std::map<Part, std::uint32_t> class_of_part_;
  std::map<PartKey, std::uint32_t> class_of_key_;
  std::vector<std::vector<Use>> uses_;  // by simulated rank
};

}  // namespace orrery::sim
