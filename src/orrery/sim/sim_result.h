// SPDX-License-Identifier: Apache-2.0
//
// The result of a simulation: plain data that needs no model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/packet_record.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/chunk_choice.h"
#include "orrery/sim/prediction_error.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/recording.h"
#include "orrery/sim/simulation_estimate.h"

namespace orrery::sim {

/// One (collective type, group size) bucket over all ranks.
struct CollectiveTotal {
  std::string type;  ///< "all_reduce", "send" …
  std::uint32_t group_size = 0;
  std::uint64_t operations = 0;  ///< issued, counted once per rank
  std::uint64_t bytes = 0;       ///< their full buffers (graph::full_buffer), summed over ranks
  std::uint64_t sent = 0;        ///< bytes that the ranks sent for them
  Time time{};                   ///< from issue to completion, summed over ranks
};

/// Exposed communication of one group: communication while nothing computes.
struct ExposedGroup {
  std::string group;  ///< as nodes name it; empty: messages, or collectives without a group name
  Time time{};

  friend bool operator==(const ExposedGroup&, const ExposedGroup&) = default;
};

/// One node on the critical path, which ends with the slowest rank's last node. The path crosses
/// ranks by messages and by collectives (see critical_path()).
struct CriticalPathNode {
  std::uint32_t rank;
  graph::NodeId node;
  Time start{};
  Time end{};
};

/// A pending node of an unfinished rank, and why it has not ended.
struct StalledNode {
  std::uint32_t rank;
  graph::NodeId node;
  std::string why;  ///< "receive of 1024 bytes, tag 7, from rank 3: no matching send was posted"
};

struct StallReport {
  std::uint32_t unfinished_ranks = 0;
  Time at{};                        ///< time of the last event
  std::vector<StalledNode> nodes;   ///< pending nodes, by rank, then node; at most 64
  std::vector<std::string> circle;  ///< ranks that wait for each other; empty: no cycle
  std::string network;              ///< why messages do not arrive; empty: the network is no reason
};

/// How much work the simulator saved. None of this describes the simulated machine.
struct Savings {
  std::uint32_t representatives = 0;  ///< number of simulated ranks
  std::string unfolded_reason;        ///< why all ranks were simulated, if folding was requested
  /// Number of representatives of a folded run that would not be exact, because of
  /// unfolded_reason; 0: unknown.
  std::uint32_t inexact_representatives = 0;
  /// Number of representatives that suffice if nothing is recorded; 0: recording prevented nothing.
  std::uint32_t unrecorded_representatives = 0;
  std::uint64_t phases_by_closed_form =
      0;                                 ///< phases of collectives in closed form, over all ranks
  std::uint64_t phases_by_messages = 0;  ///< … and phases with simulated messages
  std::uint64_t iterations_skipped = 0;  ///< skipped repetitions
  std::uint32_t parts = 1;               ///< number of parts that could run in parallel
};

/// The traffic of a remote memory, or of a stage of links between it and devices.
struct MemoryLevel {
  std::string name;          ///< "3 groups of memory", "2 links for each 8 devices"
  std::uint64_t loaded = 0;  ///< bytes, of all devices
  std::uint64_t stored = 0;
  double capacity = 0;       ///< bytes per second of all equivalent units, in one direction
  bool half_duplex = false;  ///< loads and stores share it

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;

  /// Share of `time` in which the level would be busy if its bytes were spread evenly.
  [[nodiscard]] double in_use(Time time) const {
    const auto bytes =
        static_cast<double>(half_duplex ? loaded + stored : std::max(loaded, stored));
    return time > Time{} ? bytes / (capacity * static_cast<double>(time.count()) / 1e12) : 0;
  }
};

struct SimResult {
  RankResults ranks;
  std::vector<CollectiveTotal> collectives;  ///< by type, then group size
  std::vector<CriticalPathNode> path;        ///< critical path of the slowest rank
  /// The same path by source of its times, longest first. The times sum to the path's length.
  std::vector<ErrorClass> error_classes;
  TimeByProvenance time_by_provenance{};       ///< … and by provenance of its times
  std::vector<PredictedCollective> predicted;  ///< distinct collectives of a library, by key()
  std::vector<ChunkChoice> chunk_choices;      ///< distinct choices, by key()
  std::vector<ExposedGroup> exposed;           ///< with Options::exposed_by_group
  /// From the memory to devices; empty: no traffic, or the memory serves one access after another.
  std::vector<MemoryLevel> memory;
  std::optional<PacketTotals> packets;  ///< empty: the network simulates no packets
  Time end{};                           ///< finish of the last rank
  std::uint64_t messages = 0;
  std::uint64_t events = 0;
  std::optional<StallReport> stall;      ///< the run could not finish
  std::unique_ptr<Recording> recording;  ///< with Options::record
  Savings savings;
  SimulationEstimate estimate;  ///< before the simulation
  Findings findings;
};

}  // namespace orrery::sim
