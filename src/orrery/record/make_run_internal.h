// SPDX-License-Identifier: Apache-2.0
//
// The steps from a recording to a run, one per file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
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
    return span_numbers.empty() ? node : span_numbers[recording.index(rank, node)];
  }
};

class EqualTimes;

/// The lowest rank of each class of equivalent ranks, ascending; all ranks if there are no classes.
[[nodiscard]] std::vector<std::uint32_t> representatives(const sim::Recording& recording,
                                                         std::uint32_t ranks);

/// By recorded detail (Recording::detail_index()): the node at the other end of a send or receive,
/// or kNoNode. The k-th send matches the k-th receive with the same tag, source, destination and
/// size. O(messages log messages) of representatives and their peers.
[[nodiscard]] std::vector<graph::NodeId> match_messages(const RecordingSource& source);

/// The peer of a send or receive.
[[nodiscard]] std::uint32_t peer_of(const graph::Graph& graph, std::uint32_t rank,
                                    graph::NodeId node);

/// A collective of each group of a class.
struct RecordedCollective {
  /// The class of its group (sim::GroupMembership) or, from RecordedCollectives::classes on, the
  /// number of its group.
  std::uint32_t group_class = 0;
  std::uint32_t sequence = 0;  ///< within its group
  result::Collective one{};    ///< without its group, last rank and what depends on them
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t bytes = 0;  ///< as its nodes state it
  /// The last to arrive: a rank of each class of equivalent ranks, and its node.
  std::vector<std::pair<std::uint32_t, graph::NodeId>> last{};
};

/// What two ranks compare of their collectives.
struct CollectivePlace {
  Time last_start{};
  std::uint32_t group_class = 0;
  std::uint32_t sequence = 0;
  bool joined = false;
};

/// The collectives of each group, and the collective of each node.
struct RecordedCollectives {
  std::vector<RecordedCollective> all;
  std::vector<CollectivePlace> places;   ///< of `all`, side by side
  std::vector<std::uint32_t> of_detail;  ///< by recorded detail: index in `all`, or kNone
  std::uint32_t classes = 0;             ///< of groups whose ranks joined
  /// By class, then by group: indices in `all`. A group has those of its class, and its own after
  /// them.
  std::vector<std::vector<std::uint32_t>> of_class;
  std::vector<std::uint32_t> class_of_group;  ///< kNone: only its own

  /// The collective of a node of the rank: index in `all`.
  [[nodiscard]] std::uint32_t number_of(const sim::Recording& recording, std::uint32_t rank,
                                        graph::NodeId node) const {
    return of_detail[recording.detail_index(rank, node)];
  }
  /// The group of a class (RecordedCollective::group_class) at the rank: index in Run::groups.
  [[nodiscard]] std::uint32_t group_of(const sim::Recording& recording, std::uint32_t rank,
                                       std::uint32_t group_class) const {
    return group_class >= classes ? group_class - classes : recording.group_of(rank, group_class);
  }
};
/// Adds the groups of the run.
[[nodiscard]] RecordedCollectives record_collectives(const RecordingSource& source,
                                                     const EqualTimes& times, result::Run& run);
/// Adds the collectives of the run, once for all groups that share them. Requires timelines.
/// O(collectives of classes + groups × members).
void store_collectives(const RecordingSource& source, const RecordedCollectives& recorded,
                       result::Run& run);

/// Builds timelines and ranks.
void make_timelines(const RecordingSource& source, const EqualTimes& times,
                    const RecordedCollectives& recorded, const std::vector<graph::NodeId>& partners,
                    result::Run& run);

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

/// The number of distinct coordinates of the ranks (empty: all) in each dimension, which determines
/// the bound; empty if the ranks are not all combinations of them.
[[nodiscard]] std::vector<std::uint64_t> extents(const std::vector<platform::Dimension>& dims,
                                                 const std::vector<std::uint32_t>& ranks);

/// Bytes per second that one rank can send into dimension `dim` over all its links.
[[nodiscard]] Bandwidth port_bandwidth(const platform::Dimension& dim);

void make_links(const RecordingSource& source, result::Run& run);

/// The traffic of remote memories, by level.
[[nodiscard]] result::RemoteMemory remote_memory(const RecordingSource& source);

}  // namespace orrery::record
