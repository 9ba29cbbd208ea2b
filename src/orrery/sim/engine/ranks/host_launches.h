// SPDX-License-Identifier: Apache-2.0
//
// Hosts that launch kernels one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/sim/engine/ranks/device_work.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Where a workload's kernels cost their host time (graph::LaunchTimes), a rank's host launches
/// them in the order in which its device takes them, from when the rank begins, and runs ahead
/// until as many wait as a stream holds (model::HostClock). A kernel begins no earlier than it has
/// been launched. Where a node stands for several launches, all that it has to wait for them stands
/// before it, and it ends as if each of them, which share its time, had been waited for in turn.
class HostLaunches {
 public:
  HostLaunches(EngineRun& run, const DeviceWork& devices) : run_(run), devices_(devices) {}

  /// The rank's host launches the kernels of a node that its device could begin now, and that waits
  /// so long for them. 0: it need not wait.
  [[nodiscard]] std::int64_t launch(std::uint32_t rank, graph::NodeId node);

 private:
  struct OfKernel {
    std::int64_t each = 0;  ///< picoseconds
    std::uint32_t launches = 0;
  };
  struct OfTable {
    const graph::KernelTable* table = nullptr;
    std::int64_t least = 0, ahead = 0;  ///< of its launches (model::Launches)
    std::vector<OfKernel> kernels;
  };
  [[nodiscard]] const OfTable& of(const graph::KernelTable& kernels);

  EngineRun& run_;
  const DeviceWork& devices_;
  std::vector<OfTable> known_;  ///< a table for each job
};

}  // namespace orrery::sim
