// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the simulator: runs a workload on a platform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/model/caller/caller_models.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/checkpoints.h"
#include "orrery/sim/sim_result.h"

namespace orrery::sim {

/// Creates a network for as many ranks as the platform has.
using NetworkFactory = std::function<std::unique_ptr<model::Network>(const platform::Platform&)>;

struct Options {
  /// Called periodically with (ranks finished, messages so far), for progress bars. Can be empty.
  std::function<void(std::uint32_t, std::uint64_t)> progress;
  /// Called once before the simulation starts, and again before a run that repeats it (see `fold`).
  /// Can be empty.
  std::function<void(const SimulationEstimate&)> estimated{};
  /// Stop with Errc::limit_exceeded if the estimate of the CPU time, in seconds, is above this; 0:
  /// no limit.
  double max_cpu_seconds = 0;
  /// Stop with Errc::limit_exceeded after this many events; 0 = no limit.
  std::uint64_t max_events = 0;
  /// Store the data for record::make_run: SimResult::recording.
  bool record = false;
  /// Also record the phases of chunks, for every rank (nothing is folded).
  bool record_chunks = false;
  /// Store the start and end of every node, for SimResult::path and RankResult::peak_memory. If
  /// false, these are empty, memory contains only the active nodes, no iteration is skipped and the
  /// run uses one thread. `record` implies it.
  bool keep_times = true;
  /// Attribute the exposed communication of the slowest rank to groups (see
  /// observe/exposed_communication.h): SimResult::exposed. Requires keep_times.
  bool exposed_by_group = false;
  /// Simulate one rank of each class of equivalent ranks (see folding.h). The result is the same.
  bool fold = false;
  /// If a folded run fails or stalls, it is repeated with every rank, provided that all ranks
  /// together have at most this many nodes; otherwise it ends with Errc::limit_exceeded.
  std::uint64_t max_repeated_nodes = std::uint64_t{1} << 25;
  /// Compute the ends of uncontended phases of collectives by closed forms instead of sending their
  /// messages. The result is the same. Orrery rules, uncontended networks.
  bool closed_forms = true;
  /// Skip iterations that equal the previous one up to a shift in time. The result is the same.
  bool skip_repeats = true;
  /// Maximum number of parts of one run that are simulated in parallel. The result is the same.
  std::uint32_t threads = 1;
  /// Replay a recording: communication lasts its recorded time from the arrival of the last
  /// participant (see recorded_collectives.h), and no messages are sent. Orrery rules; without
  /// folding, parts and skipping of repetitions.
  bool replay = false;
  /// Models of kernels from files, for platforms that request them (platform::Device::compute).
  model::SuppliedModels kernel_models{};
  /// The times of the library that runs the collectives, if the platform names one; null: as from
  /// model::make_library_times, with built-in curves.
  std::shared_ptr<const model::LibraryTimes> library{};
  /// Functions of the calling program that change times of kernels; null: none. Those of messages
  /// and of collectives are changed by `network` and `library`.
  std::shared_ptr<const model::CallerModels> caller{};
  /// Creates the network; empty: the platform's own (model::make_network).
  NetworkFactory network;
  /// Checkpoints to write, and the one to resume from. The result is the same. The run uses one
  /// thread.
  Checkpoints checkpoints{};
};

/// Runs `workload` on `platform` to the end. Deterministic: the same inputs give the same result. A
/// workload that stalls results in a SimResult with `stall` set. An impossible one (missing
/// attributes, unknown groups, unsupported collectives, more dimensions than there are) results in
/// an Error with rank and node. Errors of checkpoints: see Checkpoints.
[[nodiscard]] Result<SimResult> simulate(const graph::Workload& workload,
                                         const platform::Platform& platform,
                                         const Options& options = {});

}  // namespace orrery::sim
