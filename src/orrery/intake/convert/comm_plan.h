// SPDX-License-Identifier: Apache-2.0
//
// Decides which recorded events are communications, and what each of them communicates.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

/// The communication of one node.
struct NodeComm {
  std::uint32_t node = 0;  ///< in Dependencies::nodes
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint32_t group = ~0u;       ///< in Profile::groups
  std::int64_t bytes = -1;         ///< -1: unknown
  std::int32_t peer = -1;          ///< send, receive: a global rank; rooted collectives: the root
  std::int32_t element_bytes = 0;  ///< bytes per element of the split sizes
  graph::Format format = graph::Format::unsaid;
  StringId in_split = StringId::empty;
  StringId out_split = StringId::empty;
  /// For an operator that queued its message for a kernel that several operators share: the
  /// kernel's node. The message becomes an additional node with the dependencies of that kernel.
  /// Else profile::kNone.
  std::uint32_t shared_kernel = profile::kNone;
};

/// All communications of a rank.
struct CommPlan {
  std::vector<NodeComm> nodes;   ///< ascending by node, one per node
  std::vector<NodeComm> queued;  ///< `shared_kernel` is set; ascending by kernel, then by operator
  std::uint64_t kernels = 0;     ///< of communication libraries
  std::uint64_t kernels_under_library = 0;  ///< … under an annotation of the library ("nccl:…")
  std::uint64_t extra_kernels = 0;  ///< further kernels of one communication; they remain compute
};

/// The node of a communication is its device kernel, the longest one of several. Without a kernel
/// it is the innermost operator that names the communication. Waiting for a communication is no
/// communication. The kind comes from the framework's record, else from the enclosing annotation of
/// the library, else from the kernel's name (comm_kind_from_name). If it remains unknown, the node
/// is compute (comm_kind_unknown). Sends and receives that share one kernel are distinguished by
/// their operators. Counts comm_size_unknown, comm_peer_unknown and group_unknown. O(events +
/// communications log communications).
[[nodiscard]] CommPlan plan_comms(const profile::Profile& profile,
                                  const profile::Dependencies& dependencies, std::uint32_t rank,
                                  Findings& findings);

}  // namespace orrery::intake
