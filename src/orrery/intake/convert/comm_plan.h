// SPDX-License-Identifier: Apache-2.0
//
// Which recorded events are communications, and what each of them does.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

/// What one node of a graph communicates.
struct NodeComm {
  std::uint32_t node = 0;  ///< in Dependencies::nodes
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint32_t group = ~0u;  ///< in Profile::groups
  std::int64_t bytes = -1;    ///< -1 = nothing says it
  std::int32_t peer = -1;     ///< send, receive: a global rank; rooted collectives: the root
  std::int32_t width = 0;     ///< bytes per element of the split sizes
  graph::Format numbers = graph::Format::unsaid;
  StringId in_split = StringId::empty;
  StringId out_split = StringId::empty;
  /// An operator that only queued this for a kernel of several: the kernel's node. The message is
  /// then an additional node with that kernel's dependencies. Else profile::kNone.
  std::uint32_t joined = profile::kNone;
};

/// All communications of a rank.
struct CommPlan {
  std::vector<NodeComm> nodes;              ///< ascending by node, one per node
  std::vector<NodeComm> queued;             ///< `joined` set: ascending by kernel, then by operator
  std::uint64_t kernels = 0;                ///< of communication libraries
  std::uint64_t kernels_under_library = 0;  ///< … under an annotation of the library ("nccl:…")
  std::uint64_t extra_kernels = 0;  ///< further kernels of a communication: they stay compute
};

/// A communication is its device kernel where there is one (of several the longest), else the
/// innermost operator that names it; waiting for one is none. What it does: from what the framework
/// recorded, else from the annotation of the library around it, else from the kernel's name
/// (comm_kind_from_name), else nothing does (comm_kind_unknown: compute). Sends and receives queued
/// for one kernel are told apart by their operators. Counts comm_size_unknown, comm_peer_unknown
/// and group_unknown. O(events + communications log communications).
[[nodiscard]] CommPlan plan_comms(const profile::Profile& profile,
                                  const profile::Dependencies& dependencies, std::uint32_t rank,
                                  Findings& findings);

}  // namespace orrery::intake
