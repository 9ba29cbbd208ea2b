// SPDX-License-Identifier: Apache-2.0
//
// What came of a simulation: plain data, which needs no model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/chunk_choice.h"
#include "orrery/sim/prediction_error.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// One (collective type, group size) bucket over all ranks.
struct CollectiveTotal {
  std::string type;  ///< "all_reduce", "send" …
  std::uint32_t group_size = 0;
  std::uint64_t operations = 0;  ///< issued, counted once per rank
  std::uint64_t bytes = 0;       ///< their whole buffers (graph::whole_buffer), summed over ranks
  std::uint64_t sent = 0;        ///< what the ranks put on the network for them
  Time time{};                   ///< from issue to completion, summed over ranks
};

/// Communication that nothing hides, among the ranks of one group.
struct ExposedGroup {
  std::string group;  ///< as nodes name it; empty: messages, or collectives that name none
  Time time{};

  friend bool operator==(const ExposedGroup&, const ExposedGroup&) = default;
};

/// One node on the critical path: what the end of the slowest rank waited for, latest last. It
/// crosses ranks by messages and by collectives (see critical_path()).
struct CriticalPathNode {
  std::uint32_t rank;
  graph::NodeId node;
  Time start{};
  Time end{};
};

/// Why a rank did not finish.
struct StalledNode {
  std::uint32_t rank;
  graph::NodeId node;
  std::string why;  ///< "receive of 1024 bytes, tag 7, from rank 3: no matching send was posted"
};

struct StallReport {
  std::uint32_t unfinished_ranks = 0;
  Time at{};                        ///< when the last event happened
  std::vector<StalledNode> nodes;   ///< what is in flight, by rank then node; at most 64
  std::vector<std::string> circle;  ///< ranks that wait for each other, if there is such a circle
};

/// How the work was saved. Nothing here is a result of the simulated machine.
struct Savings {
  std::uint32_t representatives = 0;  ///< ranks simulated, for all of them
  std::string unfolded_reason;        ///< why they are as many as ranks, if folding was wanted
  std::uint64_t phases_by_closed_form =
      0;                                 ///< phases of collectives by closed form, over all ranks
  std::uint64_t phases_by_messages = 0;  ///< … and by sending their messages
  std::uint64_t iterations_skipped = 0;  ///< repetitions that were not simulated
  std::uint32_t parts = 1;               ///< that could be worked on at the same time
};

/// What crossed a remote memory, or a stage of links between it and devices.
struct MemoryLevel {
  std::string name;          ///< "3 groups of memory", "2 links for each 8 devices"
  std::uint64_t loaded = 0;  ///< bytes, of all devices
  std::uint64_t stored = 0;
  double capacity = 0;       ///< bytes per second of all that are alike, in one direction
  bool half_duplex = false;  ///< loads and stores share it

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;

  /// Which part of `time` it would have been busy, were its bytes spread evenly.
  [[nodiscard]] double in_use(Time time) const {
    const auto bytes =
        static_cast<double>(half_duplex ? loaded + stored : std::max(loaded, stored));
    return time > Time{} ? bytes / (capacity * static_cast<double>(time.count()) / 1e12) : 0;
  }
};

struct SimResult {
  RankResults ranks;
  std::vector<CollectiveTotal> collectives;  ///< by type, then group size
  std::vector<CriticalPathNode> path;        ///< what the end of the slowest rank waited for
  /// The same by who told how long it takes, longest first. Their times sum to the path's length.
  std::vector<ErrorClass> error_classes;
  TimeByProvenance time_by_provenance{};       ///< … and by what that stands on
  std::vector<PredictedCollective> predicted;  ///< what a library ran, each kind once, by key()
  std::vector<ChunkChoice> chunk_choices;      ///< each kind once, by key()
  std::vector<ExposedGroup> exposed;           ///< with Options::exposed_by_group
  /// From the memory to devices; empty: nothing crossed it, or one access after another was served.
  std::vector<MemoryLevel> memory;
  Time end{};  ///< the last finish
  std::uint64_t messages = 0;
  std::uint64_t events = 0;
  std::optional<StallReport> stall;      ///< the run could not finish
  std::unique_ptr<Recording> recording;  ///< with Options::record
  Savings savings;
  Findings findings;
};

}  // namespace orrery::sim
