// SPDX-License-Identifier: Apache-2.0
//
// Reads communications from the nodes of an execution trace.
//
// One communication has up to three nodes, nested in each other: the framework's operator
// (c10d::allreduce_), its record (record_param_comms) and the library's annotation
// (nccl:all_reduce). The record contains the most details; all three share its Comm in the end.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/strings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/pytorch/comm_arguments.h"
#include "orrery/trace/pytorch/process_groups.h"
#include "orrery/trace/pytorch/raw_node.h"

namespace orrery::trace::pytorch {

/// The layer of a node among the three.
enum class CommLayer : std::uint8_t { none, framework, record, library };
[[nodiscard]] CommLayer comm_layer_of(std::string_view name);

class Comms {
 public:
  explicit Comms(profile::Profile& profile) : profile_(profile), groups_(profile.groups) {}

  /// Reads process groups from "## process_group:init ##"; false if it contains none.
  bool describe_groups(const RawNode& node, std::uint64_t& ignored);
  /// Index in Profile::comms of the node's communication, or kNone.
  std::uint32_t add(const RawNode& node);
  /// Call after all nodes have been added and the profile is indexed. Makes the layers of one
  /// communication share its Comm, converts peers to global ranks, and finds the rank and the world
  /// size.
  void finish();
  /// Removes elements of Profile::comms that no event references.
  void drop_unused();

 private:
  struct Peer {
    std::uint32_t comm = 0;
    std::int64_t in_group = 0, start = -1, stride = -1;
  };
  struct OwnRank {
    std::uint32_t group = ~0u;
    std::int64_t in_group = -1, start = -1, stride = -1;
  };

  std::uint32_t add_record(const RawNode& node);
  std::uint32_t add_framework_call(const RawNode& node);
  std::uint32_t add_library_range(const RawNode& node);
  std::uint32_t group_of(const RawNode& node, const RecordArguments& arguments, std::int64_t size);
  std::uint32_t add_comm(const RawNode& node, profile::Comm comm);
  void note_rank(std::uint32_t comm, std::int64_t in_group, std::int64_t start,
                 std::int64_t stride);
  void share_comms(std::uint32_t lane, std::vector<CommLayer>& deepest);
  std::uint32_t enclosing(profile::EventId event, CommLayer layer) const;
  void resolve_peers();
  void resolve_ranks();

  profile::Profile& profile_;
  ProcessGroups groups_;
  std::vector<Peer> peers_;
  std::vector<OwnRank> own_ranks_;  // without duplicates
};

}  // namespace orrery::trace::pytorch
