// SPDX-License-Identifier: Apache-2.0
//
// Reduces a job to some of its ranks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// What stays constant in a collective whose group shrinks.
enum class CollectiveScaling : std::uint8_t {
  buffers,  ///< the full buffer: the shards of an all-gather grow
  volume,   ///< the bytes that each member sends
  stated    ///< the size in the node: the shard of an all-gather, the buffer of others
};
/// "buffers", "volume", "stated".
[[nodiscard]] std::string_view name(CollectiveScaling scaling);

struct RankSubset {
  std::vector<std::uint32_t> ranks;  ///< retained ranks, ascending; the index is the new number
  /// Cyclic sequences of ranks that pass messages on. A message to a removed rank goes to the next
  /// retained rank in the same direction, around the end.
  std::vector<std::vector<std::uint32_t>> rings;
  CollectiveScaling scaling = CollectiveScaling::buffers;
};

/// Communication that the retained ranks no longer have, summed over them.
struct DroppedCommunication {
  std::uint64_t collectives = 0;  ///< in groups with one retained member
  std::uint64_t messages = 0;     ///< sends and receives that would go from a rank to itself
};

struct RankSubsetResult {
  Workload workload;
  DroppedCommunication dropped;
};

/// The workload of these ranks only. Groups keep their retained members, in order. Successors of
/// dropped nodes inherit their dependencies. Messages along rings match in order. The result names
/// each group (`axes` is empty). Errc: usage if no rank is retained or one does not exist;
/// input_unsupported if a message goes to a removed rank that is on no ring with its sender, or a
/// collective is given as traces; input_mismatch if sends and receives do not match. O(nodes log
/// nodes) of the retained ranks, and O(messages) of all.
[[nodiscard]] Result<RankSubsetResult> select_ranks(const Workload& workload,
                                                    const RankSubset& subset, Findings& findings);

/// Members of the group with the name `group` at `rank`, in ring order. All ranks if the workload
/// does not describe the group.
[[nodiscard]] std::vector<std::uint32_t> members_of(const Workload& workload,
                                                    std::string_view group, std::uint32_t rank);

/// Bytes that each member sends in a collective of the size in its node: the minimum that transfers
/// all data (NVIDIA nccl-tests, doc/PERFORMANCE.md, bus bandwidth). For rooted collectives, the
/// mean over members.
[[nodiscard]] double bytes_sent_per_member(const Collective& collective, std::uint64_t members);

}  // namespace orrery::graph
