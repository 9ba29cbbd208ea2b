// SPDX-License-Identifier: Apache-2.0
//
// The simulator's front door: a workload on a platform, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/model/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/rank_results.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

/// Makes a network for as many ranks as the platform has.
using NetworkMaker = std::function<std::unique_ptr<model::Network>(const platform::Platform&)>;

struct Options {
  /// Called now and then with (ranks finished, messages so far); for progress bars. May be empty.
  std::function<void(std::uint32_t, std::uint64_t)> progress;
  /// Stop with Errc::limit_exceeded after this many events; 0 = no limit.
  std::uint64_t max_events = 0;
  /// Keep what record::make_run needs: SimResult::recording.
  bool record = false;
  /// Keep when every node ran, for SimResult::path and RankResult::peak_memory. Without it these
  /// are empty, and of the nodes memory holds those around the run's front. Nothing is skipped then
  /// and one thread works. `record` keeps it in any case.
  bool keep_times = true;
  /// Simulate one rank for all that are alike (see folding.h). The result is the same.
  bool fold = false;
  /// When what is folded goes wrong or cannot finish, the run is begun again with every rank, up to
  /// so many nodes of all ranks together; beyond, it ends with Errc::limit_exceeded.
  std::uint64_t most_repeated = std::uint64_t{1} << 25;
  /// Work out when phases of collectives end where nothing is in their way, instead of sending
  /// their messages. The result is the same. Orrery rules, uncontended networks.
  bool closed_forms = true;
  /// Skip iterations that repeat the one before up to a shift in time. The result is the same.
  bool skip_repeats = true;
  /// Parts of one run that may be worked on at the same time. The result is the same.
  std::uint32_t threads = 1;
  /// Makes the network to run on; empty: the platform's own (model::make_network).
  NetworkMaker network;
};

/// One (collective type, group size) bucket over all ranks.
struct CollectiveTotal {
  std::string type;  ///< "all_reduce", "send" …
  std::uint32_t group_size = 0;
  std::uint64_t operations = 0;  ///< issued, counted once per rank
  std::uint64_t bytes = 0;       ///< their whole buffers (graph::whole_buffer), summed over ranks
  std::uint64_t sent = 0;        ///< what the ranks put on the network for them
  Time time{};                   ///< from issue to completion, summed over ranks
};

/// One node on the critical path: what the end of the slowest rank waited for, latest last. It
/// crosses ranks by messages.
struct PathLink {
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
  std::uint32_t representatives = 0;     ///< ranks simulated, for all of them
  std::string not_folded;                ///< why they are as many as ranks, if folding was wanted
  std::uint64_t phases_worked_out = 0;   ///< phases of collectives by closed form, over all ranks
  std::uint64_t phases_by_messages = 0;  ///< … and by sending their messages
  std::uint64_t iterations_skipped = 0;  ///< repetitions that were not simulated
  std::uint32_t parts = 1;               ///< that could be worked on at the same time
};

struct SimResult {
  RankResults ranks;
  std::vector<CollectiveTotal> collectives;  ///< by type, then group size
  std::vector<PathLink> path;                ///< the dependency chain that ends the slowest rank
  Time end{};                                ///< the last finish
  std::uint64_t messages = 0;
  std::uint64_t events = 0;
  std::optional<StallReport> stall;      ///< the run could not finish
  std::unique_ptr<Recording> recording;  ///< with Options::record
  Savings savings;
  Findings findings;
};

/// Runs `workload` on `platform` to the end. Deterministic: same inputs, same result.
/// A workload that stalls is a SimResult with `stall` set; an impossible one (missing attributes,
/// unknown groups, unsupported collectives, more dimensions asked for than there are) is an Error
/// naming rank and node.
[[nodiscard]] Result<SimResult> simulate(const graph::Workload& workload,
                                         const platform::Platform& platform,
                                         const Options& options = {});

}  // namespace orrery::sim
