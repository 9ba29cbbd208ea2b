// SPDX-License-Identifier: Apache-2.0
//
// The simulator's front door: a workload on a platform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/sim_result.h"

namespace orrery::sim {

/// Makes a network for as many ranks as the platform has.
using NetworkFactory = std::function<std::unique_ptr<model::Network>(const platform::Platform&)>;

struct Options {
  /// Called now and then with (ranks finished, messages so far); for progress bars. May be empty.
  std::function<void(std::uint32_t, std::uint64_t)> progress;
  /// Stop with Errc::limit_exceeded after this many events; 0 = no limit.
  std::uint64_t max_events = 0;
  /// Keep what record::make_run needs: SimResult::recording.
  bool record = false;
  /// … and which phases chunks went through, of those ranks that were simulated.
  bool record_chunks = false;
  /// Keep when every node ran, for SimResult::path and RankResult::peak_memory. Without it these
  /// are empty, and of the nodes memory holds those around the run's front. Nothing is skipped then
  /// and one thread works. `record` keeps it in any case.
  bool keep_times = true;
  /// Say whose the communication is that nothing hides, of the rank that ends last (see
  /// observe/exposed_communication.h): SimResult::exposed. With kept times.
  bool exposed_by_group = false;
  /// Simulate one rank for all that are alike (see folding.h). The result is the same.
  bool fold = false;
  /// When what is folded goes wrong or cannot finish, the run is begun again with every rank, up to
  /// so many nodes of all ranks together; beyond, it ends with Errc::limit_exceeded.
  std::uint64_t max_repeated_nodes = std::uint64_t{1} << 25;
  /// Work out when phases of collectives end where nothing is in their way, instead of sending
  /// their messages. The result is the same. Orrery rules, uncontended networks.
  bool closed_forms = true;
  /// Skip iterations that repeat the one before up to a shift in time. The result is the same.
  bool skip_repeats = true;
  /// Parts of one run that may be worked on at the same time. The result is the same.
  std::uint32_t threads = 1;
  /// Communication takes the time that it was recorded to take, from when the last of those that
  /// take part has come (see Meetings): a recording is played again, nothing is sent. Orrery rules;
  /// without folding, parts and repeats.
  bool replay = false;
  /// Models of kernels from files, for platforms that ask them (platform::Device::compute).
  model::SuppliedModels kernel_models{};
  /// The times of the library that runs the collectives, where the platform names one; null: as
  /// model::library_of makes it, with built-in curves.
  std::shared_ptr<const model::LibraryTimes> library{};
  /// Makes the network to run on; empty: the platform's own (model::make_network).
  NetworkFactory network;
};

/// Runs `workload` on `platform` to the end. Deterministic: same inputs, same result.
/// A workload that stalls is a SimResult with `stall` set; an impossible one (missing attributes,
/// unknown groups, unsupported collectives, more dimensions asked for than there are) is an Error
/// naming rank and node.
[[nodiscard]] Result<SimResult> simulate(const graph::Workload& workload,
                                         const platform::Platform& platform,
                                         const Options& options = {});

}  // namespace orrery::sim
