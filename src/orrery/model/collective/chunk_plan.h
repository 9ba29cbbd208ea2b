// SPDX-License-Identifier: Apache-2.0
//
// From "all-reduce 1 GB" to chunks, and from a chunk to its phases over the dimensions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// One dimension a collective can use: its ring and how it runs there.
struct LogicalDim {
  RingShape ring;
  std::uint32_t dim = 0;              ///< the queues it uses
  platform::AlgorithmSpec algorithm;  ///< not joined: `ring` says whose dimension it is
  bool along_dim = true;              ///< the ring is the physical dimension `dim`
  bool involved = true;
  LibraryGroup library;  ///< who runs it instead of `algorithm`, if anybody

  friend bool operator==(const LogicalDim&, const LogicalDim&) = default;
};

/// The dimensions one communicator offers to one collective type, innermost first.
struct LogicalTopology {
  std::vector<LogicalDim> dims;
  std::uint32_t members = 1;
  bool sub_group = false;

  friend bool operator==(const LogicalTopology&, const LogicalTopology&) = default;
};

/// Which of a dimension's queues a phase may wait in.
enum class QueueUse : std::uint8_t { all, first_half, second_half };

/// One phase of a chunk before a queue is chosen.
struct PlannedPhase {
  std::uint32_t logical_dim = 0;
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t data = 0;  ///< bytes when the phase begins
  QueueUse queues = QueueUse::all;
};

/// Sizes of the chunks a collective is cut into: `count` chunks of `chunk` bytes, the last one of
/// `last` bytes.
struct Chunking {
  std::int64_t count = 0;
  std::int64_t chunk = 0;
  std::int64_t last = 0;
  std::int64_t bytes = 0;       ///< of all chunks, had the last one its true size
  bool remainder_full = false;  ///< ASTRA rules: the last chunk should have been smaller
  bool raised = false;          ///< the size was raised so that a chunk has a byte per rank
};

/// How `size` bytes are cut. ASTRA rules: floor(size / splits) per chunk, at least one byte per
/// rank of the whole system except for all_gather, the last chunk full-sized (specified behaviour
/// of ASTRA-sim 2.x). Orrery rules: ceil(size / splits), the last chunk is what remains. Errc:
/// config_range when splits < 1, limit_exceeded beyond limits::kChunksPerCollective.
[[nodiscard]] Result<Chunking> cut(graph::CollectiveType type, std::int64_t size,
                                   std::int64_t splits, std::int64_t total_ranks,
                                   platform::Rules rules);

/// The whole system as a topology. Errc: config_conflict (more algorithms than dimensions, or none
/// at all).
[[nodiscard]] Result<LogicalTopology> system_topology(
    std::span<const platform::AlgorithmSpec> algorithms, const MultiDimFabric& fabric,
    graph::CollectiveType type, std::uint32_t dims_mask);

/// Phases of one chunk along `order` (logical dims; the natural order is innermost first,
/// all_gather innermost last).
///
/// all_reduce with local_bw_aware: reduce-scatter along `order` up to the last dim, all-reduce
/// there, all-gather back; with `two_phase` (Themis) the last dim runs reduce-scatter and
/// all-gather as well. Dimensions of size one and those not involved are skipped. A
/// double-binary-tree phase is always a whole all-reduce, whatever it is called. Source:
/// hierarchical all-reduce, BlueConnect (MLSys 2019) section 3; Themis (ISCA 2022) section 4.
[[nodiscard]] std::vector<PlannedPhase> phases(graph::CollectiveType type, std::int64_t bytes,
                                               const LogicalTopology& topology,
                                               const std::vector<std::uint32_t>& order,
                                               bool two_phase, const platform::Platform& platform);

}  // namespace orrery::model
