// SPDX-License-Identifier: Apache-2.0
//
// What the nodes of an execution trace say about communications.
//
// One communication leaves up to three nodes, each inside the one before: the framework's operator
// (c10d::allreduce_), its record (record_param_comms) and the library's annotation
// (nccl:all_reduce). The record says the most; all of them come to share its Comm.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/core/strings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/pytorch/comm_arguments.h"
#include "orrery/trace/pytorch/process_groups.h"
#include "orrery/trace/pytorch/raw_node.h"

namespace orrery::trace::pytorch {

/// Which of the three a node is.
enum class CommLayer : std::uint8_t { none, framework, record, library };
[[nodiscard]] CommLayer comm_layer_of(std::string_view name);

class Comms {
 public:
  explicit Comms(profile::Profile& profile) : profile_(profile), groups_(profile.groups) {}

  /// Reads process groups from "## process_group:init ##"; false when there are none in it.
  bool describe_groups(const RawNode& node, std::uint64_t& ignored);
  /// The number in Profile::comms of what the node communicates, or kNone.
  std::uint32_t add(const RawNode& node);
  /// Once every node is there and the profile indexed: lets the layers of one communication share
  /// its Comm, turns peers into global ranks, and finds the rank and the world's size.
  void finish();
  /// Removes from Profile::comms what no event refers to any more.
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

  std::uint32_t record(const RawNode& node);
  std::uint32_t framework(const RawNode& node);
  std::uint32_t library(const RawNode& node);
  std::uint32_t group_of(const RawNode& node, const RecordArguments& said, std::int64_t size);
  std::uint32_t keep(const RawNode& node, profile::Comm comm);
  void note_rank(std::uint32_t comm, std::int64_t in_group, std::int64_t start,
                 std::int64_t stride);
  void share(std::uint32_t lane, std::vector<CommLayer>& deepest);
  std::uint32_t enclosing(profile::EventId event, CommLayer layer) const;
  void resolve_peers();
  void resolve_ranks();

  profile::Profile& profile_;
  ProcessGroups groups_;
  std::vector<Peer> peers_;
  std::vector<OwnRank> own_ranks_;  // different ones
};

}  // namespace orrery::trace::pytorch
