// SPDX-License-Identifier: Apache-2.0
//
// Splits a collective such as "all-reduce 1 GB" into chunks, and chunks into phases over the
// dimensions.
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

/// One dimension that a collective can use: its ring and its algorithm.
struct LogicalDim {
  RingShape ring;
  std::uint32_t dim = 0;              ///< physical dimension whose queues it uses
  platform::AlgorithmSpec algorithm;  ///< never `joined`: `ring` spans joined dimensions
  bool along_dim = true;              ///< the ring is the physical dimension `dim`
  bool involved = true;
  LibraryGroup library;  ///< nodes > 0: a library runs it instead of `algorithm`

  friend bool operator==(const LogicalDim&, const LogicalDim&) = default;
};

/// The dimensions that a collective type can use in one communicator, innermost first.
struct LogicalTopology {
  std::vector<LogicalDim> dims;
  std::uint32_t members = 1;
  bool sub_group = false;

  friend bool operator==(const LogicalTopology&, const LogicalTopology&) = default;
};

/// The queues of a dimension in which a phase may wait.
enum class QueueUse : std::uint8_t { all, first_half, second_half };

/// One phase of a chunk before a queue is chosen.
struct PlannedPhase {
  std::uint32_t logical_dim = 0;
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t data = 0;  ///< bytes when the phase begins
  QueueUse queues = QueueUse::all;
};

/// The chunks of a collective: `count` chunks of `chunk` bytes, the last one of `last` bytes.
struct Chunking {
  std::int64_t count = 0;
  std::int64_t chunk = 0;
  std::int64_t last = 0;
  std::int64_t bytes = 0;       ///< of all chunks, with the true size of the last one
  bool remainder_full = false;  ///< ASTRA rules: the last chunk is larger than the remainder
  bool raised = false;          ///< the size was raised so that a chunk has a byte per rank
};

/// Splits `size` bytes into chunks. ASTRA rules: floor(size / splits) bytes per chunk, at least one
/// byte per rank of the complete system except for all_gather; the last chunk has the full size
/// (specified behavior of ASTRA-sim 2.x). Orrery rules: ceil(size / splits); the last chunk is the
/// remainder. Errc: config_range when splits < 1, limit_exceeded beyond
/// limits::kChunksPerCollective.
[[nodiscard]] Result<Chunking> cut(graph::CollectiveType type, std::int64_t size,
                                   std::int64_t splits, std::int64_t total_ranks,
                                   platform::Rules rules);

/// The topology of the communicator of all ranks. Errc: config_conflict (more algorithms than
/// dimensions, or no algorithm).
[[nodiscard]] Result<LogicalTopology> system_topology(
    std::span<const platform::AlgorithmSpec> algorithms, const MultiDimFabric& fabric,
    graph::CollectiveType type, std::uint32_t dims_mask);

/// The phases of one chunk along `order` (logical dimensions; the natural order is innermost first,
/// for all_gather innermost last).
///
/// all_reduce with local_bw_aware: reduce-scatter along `order` up to the last dimension,
/// all-reduce there, all-gather back. With `two_phase` (Themis), the last dimension runs
/// reduce-scatter and all-gather, too. Dimensions of size one and dimensions that are not involved
/// are skipped. A double-binary-tree phase is always a complete all-reduce, whatever its type.
/// Source: hierarchical all-reduce, BlueConnect (MLSys 2019) section 3; Themis (ISCA 2022)
/// section 4.
[[nodiscard]] std::vector<PlannedPhase> phases(graph::CollectiveType type, std::int64_t bytes,
                                               const LogicalTopology& topology,
                                               const std::vector<std::uint32_t>& order,
                                               bool two_phase, const platform::Platform& platform);

}  // namespace orrery::model
