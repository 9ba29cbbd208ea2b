// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the engine tell whoever wants to know.
#pragma once

#include <cstdint>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// Is told of what happens now; has no say in it. Ranks are the simulated ones, or as the workload
/// numbers them where that is said.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A load or store lost so much to others at the remote memory: waiting, or sharing it.
  virtual void memory_served(std::uint32_t /*rank*/, graph::NodeId /*node*/,
                             std::int64_t /*lost*/) {}
  /// Loads or stores of remote memory have moved bytes evenly over a time.
  virtual void memory_moves(const model::MemoryPools::TransferSpan& /*moved*/) {}
  /// A message leaves: numbers of the workload, bytes, and picoseconds on its way.
  virtual void message(std::uint32_t /*from*/, std::uint32_t /*to*/, std::int64_t /*bytes*/,
                       std::int64_t /*delay*/) {}
  /// A rank begins its part of a collective …
  virtual void joins(std::uint32_t /*rank*/, graph::NodeId /*node*/, std::uint32_t /*communicator*/,
                     const model::LogicalTopology& /*topology*/) {}
  /// … of one whose algorithm is a trace …
  virtual void joins_custom(std::uint32_t /*rank*/, graph::NodeId /*node*/,
                            std::uint32_t /*communicator*/) {}
  /// … and has put so many bytes on the network for it.
  virtual void sent(std::uint32_t /*rank*/, graph::NodeId /*node*/, std::uint64_t /*bytes*/) {}
  /// A chunk waits for its next phase, runs it, and has run it.
  virtual void chunk_waits(const Stream& /*stream*/) {}
  virtual void phase_begins(const Stream& /*stream*/) {}
  virtual void phase_ends(const Stream& /*stream*/) {}
  /// The last chunk of its collective has run its last phase.
  virtual void last_chunk_ends(const Stream& /*stream*/) {}
};

}  // namespace orrery::sim
