// SPDX-License-Identifier: Apache-2.0
//
// The steps from a recording to a run, each in a file of its own.
#pragma once

#include <cstdint>
#include <map>
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

/// What every step reads.
struct RecordingSource {
  const graph::Workload& workload;
  const platform::Platform& platform;
  const sim::SimResult& sim;
  const sim::Recording& recording;
  /// Of a run in which some nodes never ended: by node of all ranks, the number of its span at its
  /// rank, or kNone. Otherwise empty: spans are nodes.
  std::vector<std::uint32_t> span_numbers{};
  std::span<const graph::HeldMemory> held{};  ///< by graph; empty: not known

  [[nodiscard]] std::uint32_t span_of(std::uint32_t rank, graph::NodeId node) const {
    return span_numbers.empty() ? node : span_numbers[recording.first_node[rank] + node];
  }
};

/// By node of all ranks (Recording::first_node): the node at the other end of a send or receive;
/// kNoNode where there is none. The k-th send matches the k-th receive of one tag, source,
/// destination and size. O(messages log messages).
[[nodiscard]] std::vector<graph::NodeId> match_messages(const RecordingSource& source);

/// The peer a send or receive names.
[[nodiscard]] std::uint32_t peer_of(const graph::Graph& graph, std::uint32_t rank,
                                    graph::NodeId node);

/// Groups and collectives of the run, and where each collective node belongs.
struct RecordedCollectives {
  std::vector<std::uint32_t> group;     ///< by node of all ranks: in Run::groups; kNone
  std::vector<std::uint32_t> sequence;  ///< by node of all ranks: within its group
};
[[nodiscard]] RecordedCollectives make_collectives(const RecordingSource& source, result::Run& run);

/// Timelines and ranks; collectives' last_span, until then a node, becomes a span.
void make_timelines(const RecordingSource& source, const RecordedCollectives& collectives_of_nodes,
                    const std::vector<graph::NodeId>& partners, result::Run& run);

/// Gives every span its lane, adding lanes to `line`: no two spans of one lane overlap. `keys` are
/// the spans' lanes without layers.
void place_in_lanes(result::Timeline& line, const std::vector<result::Lane>& keys);

/// What one rank holds over time: by the tensors its nodes read and write (see
/// sim/observe/tensor_memory_curve.h) or, where they name none, by account (Source::held) and the
/// times of its nodes.
[[nodiscard]] result::MemoryCurve memory_curve(const RecordingSource& source, std::uint32_t rank,
                                               result::Names& names);

/// The least time in which `ranks` (empty: all) could do the collective of `bytes` (its whole
/// buffer) if nothing but their links'
/// bandwidth limited them, and which dimensions limit; empty when it has no such bound.
///
/// For every set D of dimensions: the ranks that differ only outside D form blocks; every block has
/// to exchange its data with the others through its ranks' links into D. With M blocks of G ranks
/// and b the bandwidth of one rank into D: all_reduce 2 (M-1)/M S / (G b), reduce_scatter and
/// all_gather half of it (S the whole buffer), all_to_all (M-1)/M S / b. The largest over D counts.
/// Source: the ideal of Themis (ISCA 2022) section 3 for D = all dimensions; the others are cuts of
/// it.
struct CollectiveBound {
  Time time{};
  std::string by;
};
[[nodiscard]] std::optional<CollectiveBound> collective_bound(
    const RecordingSource& source, graph::CollectiveType type, Bytes bytes,
    const std::vector<std::uint32_t>& ranks);

/// Bytes per second one rank can send into dimension `dim`, all its links together.
[[nodiscard]] Bandwidth port_bandwidth(const platform::Dimension& dim);

void make_links(const RecordingSource& source, result::Run& run);

/// What crossed remote memories, level by level.
[[nodiscard]] result::RemoteMemory remote_memory(const RecordingSource& source);

}  // namespace orrery::record
