// SPDX-License-Identifier: Apache-2.0
//
// A job with fewer ranks, made of some of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::graph {

/// What stays of a collective whose group gets smaller.
enum class CollectiveScaling : std::uint8_t {
  buffers,  ///< the whole buffer: shards that are gathered grow
  volume,   ///< the bytes that each member sends
  stated    ///< what the node says: of an all-gather its shard, of others the buffer
};
/// "buffers", "volume", "stated".
[[nodiscard]] std::string_view name(CollectiveScaling retained);

struct RankSubset {
  std::vector<std::uint32_t> ranks;  ///< that stay, ascending; each becomes its place here
  /// Ranks that hand messages on along a line, in its order: a message to one that goes is for the
  /// next one that stays, in the same direction, round the end.
  std::vector<std::vector<std::uint32_t>> lines;
  CollectiveScaling retained = CollectiveScaling::buffers;
};

/// What is not there any more on ranks that stay, summed over them.
struct DroppedCommunication {
  std::uint64_t collectives = 0;  ///< of groups with one member left
  std::uint64_t messages = 0;     ///< from a rank to itself, then: sends and receives
};

struct RankSubsetResult {
  Workload workload;
  DroppedCommunication left_out;
};

/// These ranks alone. Groups have those members that stay, in their order. What is left out hands
/// its dependencies on. Messages along lines are matched in order from then on. All groups are
/// named one by one (`axes` is empty). Errc: usage where no rank stays or one is not there;
/// input_unsupported where a message goes to one that goes and is on no line with its sender, or a
/// collective is given as traces; input_mismatch where what is sent is not what is received.
/// O(nodes log nodes) of the ranks that stay, and O(messages) of all.
[[nodiscard]] Result<RankSubsetResult> select_ranks(const Workload& workload,
                                                    const RankSubset& fewer, Findings& findings);

/// Who is in the group that `group` means to `rank`, in ring order: all ranks where nothing says.
[[nodiscard]] std::vector<std::uint32_t> members_of(const Workload& workload,
                                                    std::string_view group, std::uint32_t rank);

/// What each member sends in a collective as its node states it, in bytes: the least that moves
/// all there is to move (NVIDIA nccl-tests, doc/PERFORMANCE.md, bus bandwidth). Of rooted
/// collectives the mean over members.
[[nodiscard]] double bytes_sent_per_member(const Collective& collective, std::uint64_t members);

}  // namespace orrery::graph
