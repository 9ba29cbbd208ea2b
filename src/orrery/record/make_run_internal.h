// SPDX-License-Identifier: Apache-2.0
//
// The steps from a recording to a run, one per file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/held_memory.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/result/run.h"
#include "orrery/sim/sim_result.h"

namespace orrery::record {

/// The input of all steps.
struct RecordingSource {
  const graph::Workload& workload;
  const platform::Platform& platform;
  const sim::SimResult& sim;
  const sim::Recording& recording;
  /// Only for a run in which some nodes never ended: by node of all ranks, the number of its span
  /// at its rank, or kNone. Otherwise empty: span numbers equal node numbers.
  std::vector<std::uint32_t> span_numbers{};
  std::span<const graph::HeldMemory> held{};  ///< by graph; empty: unknown

  [[nodiscard]] std::uint32_t span_of(std::uint32_t rank, graph::NodeId node) const {
    return span_numbers.empty() ? node : span_numbers[recording.first_node[rank] + node];
  }
};

/// The lowest rank of each class of equivalent ranks, ascending; all ranks if there are no classes.
[[nodiscard]] std::vector<std::uint32_t> representatives(const sim::Recording& recording,
                                                         std::uint32_t ranks);

/// By recorded node (Recording::first_node): the node at the other end of a send or receive, or
/// kNoNode. The k-th send matches the k-th receive with the same tag, source, destination and size.
/// O(messages log messages) of representatives and their peers.
[[nodiscard]] std::vector<graph::NodeId> match_messages(const RecordingSource& source);

/// The peer of a send or receive.
[[nodiscard]] std::uint32_t peer_of(const graph::Graph& graph, std::uint32_t rank,
                                    graph::NodeId node);

/// The groups and collectives of the run, and the collective of each node.
struct RecordedCollectives {
  /// By recorded node: the class of its group (sim::GroupMembership) or, from `classes` on, the
  /// number of its group; kNone: no collective.
  std::vector<std::uint32_t> group_class;
  std::vector<std::uint32_t> sequence;  ///< by recorded node: within its group
  std::uint32_t classes = 0;

  /// The group of a node of the rank: index in Run::groups.
  [[nodiscard]] std::uint32_t group(const sim::Recording& recording, std::uint32_t rank,
                                    graph::NodeId node) const {
    const std::uint32_t one = group_class[recording.first_node[rank] + node];
    return one >= classes ? one - classes : recording.group_of(rank, one);
  }
};
[[nodiscard]] RecordedCollectives make_collectives(const RecordingSource& source, result::Run& run);

/// Builds timelines and ranks. Also converts last_span of collectives from a node to a span.
void make_timelines(const RecordingSource& source, const RecordedCollectives& collectives_of_nodes,
                    const std::vector<graph::NodeId>& partners, result::Run& run);

/// Assigns each span a lane so that no two spans of a lane overlap, and adds lanes to `line`.
/// `keys` are the lanes of the spans without layers.
void place_in_lanes(result::Timeline& line, const std::vector<result::Lane>& keys);

/// The memory of one rank over time: from the tensors that its nodes read and write (see
/// sim/observe/tensor_memory_curve.h) or, if they name none, from Source::held and the times of its
/// nodes.
[[nodiscard]] result::MemoryCurve memory_curve(const RecordingSource& source, std::uint32_t rank,
                                               result::Names& names);

/// The lower bound of the time in which `ranks` (empty: all) can finish the collective of `bytes`
/// (its complete buffer), limited only by the bandwidth of their links, and the dimensions that
/// limit it. Empty if there is no such bound.
///
/// For each set D of dimensions, the ranks that differ only outside D form blocks. Each block must
/// exchange its data with the others through its ranks' links into D. With M blocks of G ranks and
/// b the bandwidth of one rank into D: all_reduce 2 (M-1)/M S / (G b), reduce_scatter and
/// all_gather half of it (S the complete buffer), all_to_all (M-1)/M S / b. The bound is the
/// maximum over all D. Source: the ideal of Themis (ISCA 2022) section 3 for D = all dimensions;
/// the others are cuts of it.
struct CollectiveBound {
  Time time{};
  std::string limiting_dimensions;
};
[[nodiscard]] std::optional<CollectiveBound> collective_bound(
    const RecordingSource& source, graph::CollectiveType type, Bytes bytes,
    const std::vector<std::uint32_t>& ranks);

/// Bytes per second that one rank can send into dimension `dim` over all its links.
[[nodiscard]] Bandwidth port_bandwidth(const platform::Dimension& dim);

void make_links(const RecordingSource& source, result::Run& run);

/// The traffic of remote memories, by level.
[[nodiscard]] result::RemoteMemory remote_memory(const RecordingSource& source);

}  // namespace orrery::record
