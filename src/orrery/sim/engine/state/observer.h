// SPDX-License-Identifier: Apache-2.0
//
// The interfaces by which the components of the engine report events to observers.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/engine/state/chunk_state.h"
#include "orrery/sim/engine/state/jump.h"

namespace orrery::sim {

/// The observer of finished collectives.
class CollectiveObserver {
 public:
  virtual ~CollectiveObserver() = default;
  virtual void on_collective_end(std::uint32_t rank, graph::NodeId node) = 0;
};

/// Receives events as they happen and does not influence the run. Ranks are numbers of simulated
/// ranks, or numbers of the workload where stated.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A load or store lost this time to other accesses of the remote memory: by waiting, or by
  /// sharing it.
  virtual void memory_served(std::uint32_t /*rank*/, graph::NodeId /*node*/,
                             std::int64_t /*lost*/) {}
  /// Loads or stores of remote memory have transferred bytes, evenly over a time.
  virtual void memory_transfers(const model::MemoryPools::TransferSpan& /*transfer*/) {}
  /// A message leaves: ranks of the workload, bytes, duration in picoseconds.
  virtual void message(std::uint32_t /*from*/, std::uint32_t /*to*/, std::int64_t /*bytes*/,
                       std::int64_t /*delay*/) {}
  /// A rank begins its part of a collective …
  virtual void collective_begins(std::uint32_t /*rank*/, graph::NodeId /*node*/,
                                 std::uint32_t /*communicator*/,
                                 const model::LogicalTopology& /*topology*/) {}
  /// A rank begins its part of a collective with an algorithm that is given as a trace …
  virtual void custom_collective_begins(std::uint32_t /*rank*/, graph::NodeId /*node*/,
                                        std::uint32_t /*communicator*/) {}
  /// … and has sent these bytes for a collective.
  virtual void sent(std::uint32_t /*rank*/, graph::NodeId /*node*/, std::uint64_t /*bytes*/) {}
  /// A chunk begins to wait for its next phase, begins it, and ends it.
  virtual void chunk_waits(const Stream& /*stream*/) {}
  virtual void phase_begins(const Stream& /*stream*/) {}
  virtual void phase_ends(const Stream& /*stream*/) {}
  /// The last chunk of its collective has run its last phase.
  virtual void last_chunk_ends(const Stream& /*stream*/) {}

  // Repetitions that are skipped (see repetition_skipper.h). An observer that stores times
  // overrides all of these.

  /// The calls from here on can repeat, until skip() or end_window().
  virtual void begin_window() {}
  virtual void end_window() {}
  /// Appends the state of unfinished collectives that affects what is observed later. Times are
  /// relative to now, so that the numbers are equal if the run repeats.
  virtual void append_state(std::vector<std::int64_t>& /*words*/) {}
  /// The same for a chunk at one member.
  virtual void append_state(const Stream& /*stream*/, std::vector<std::int64_t>& /*words*/) {}
  /// All calls since begin_window() repeat, once for each repetition that the jump skips. Nodes
  /// follow: first those that have not ended, which move by all repetitions, then those that have
  /// run like the node one repetition earlier, ascending by rank and node.
  virtual void skip(const Jump& /*jump*/) {}
  virtual void move_node(std::uint32_t /*rank*/, graph::NodeId /*from*/, graph::NodeId /*to*/) {}
  virtual void repeat_node(std::uint32_t /*rank*/, graph::NodeId /*node*/, graph::NodeId /*step*/) {
  }
};

}  // namespace orrery::sim
