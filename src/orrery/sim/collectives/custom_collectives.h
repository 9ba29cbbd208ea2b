// SPDX-License-Identifier: Apache-2.0
//
// Runs collectives with an algorithm that is given as a Chakra trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Runs the trace's sends, receives and compute nodes, without resource limits.
class CustomCollectives {
 public:
  CustomCollectives(EngineRun& run, LocalEvents& local_events, P2pMessages& messages,
                    CollectiveObserver& observer)
      : run_(run), local_events_(local_events), messages_(messages), observer_(observer) {}

  /// The algorithm of this collective, by node first, then by type; null: none.
  [[nodiscard]] const std::string* algorithm(std::uint32_t rank, graph::NodeId node,
                                             graph::CollectiveType type) const;
  /// Whether `algorithm` is the rings of groups, and this communicator has none.
  [[nodiscard]] bool lacks_rings(const std::string& algorithm, graph::CollectiveType type,
                                 std::uint32_t communicator) const;
  /// The rank, a member of `communicator`, runs its part.
  void begin(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
             const std::string& algorithm);
  /// A node of run `run` ends.
  void complete(std::uint32_t run, graph::NodeId node);

  /// Continues from the state of `other`.
  void resume(const CustomCollectives& other) { runs_ = other.runs_; }
  /// For checkpoints.
  void save(StateWriter& to) const { to(runs_); }
  void load(StateReader& from);

 private:
  void start(std::uint32_t run, graph::NodeId node);

  EngineRun& run_;
  LocalEvents& local_events_;
  P2pMessages& messages_;
  CollectiveObserver& observer_;
  std::vector<CustomRun> runs_;
};

}  // namespace orrery::sim
