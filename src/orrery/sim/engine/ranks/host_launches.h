// SPDX-License-Identifier: Apache-2.0
//
// Simulates hosts that launch kernels one after another.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/sim/engine/ranks/device_work.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// If launches cost host time (graph::LaunchTimes), a rank's host launches its kernels in the order
/// in which its device runs them, from the start of the rank. The host runs ahead until as many
/// launches wait as a stream holds (model::HostClock). A kernel begins no earlier than its launch.
/// If a node represents several launches, the simulator puts all waiting for them before the node.
/// The node ends as if it had waited for each launch in turn, with equal shares of its time.
class HostLaunches {
 public:
  HostLaunches(EngineRun& run, const DeviceWork& devices) : run_(run), devices_(devices) {}

  /// The rank's host launches the kernels of a node that its device could begin now. Returns how
  /// long the node waits for them, in picoseconds; 0: it does not wait.
  [[nodiscard]] std::int64_t launch(std::uint32_t rank, graph::NodeId node);
  /// The node ends now. If the rank's host waits for its result (graph::Kernel::host_waits), it
  /// launches nothing before.
  void end(std::uint32_t rank, graph::NodeId node);

 private:
  struct KernelLaunches {
    std::int64_t each = 0;  ///< picoseconds
    std::uint32_t launches = 0;
    bool waits = false;
  };
  struct TableLaunches {
    const graph::KernelTable* table = nullptr;
    std::int64_t least = 0, ahead = 0;  ///< see model::Launches
    std::vector<KernelLaunches> kernels;
  };
  [[nodiscard]] const TableLaunches& launches_of(const graph::KernelTable& kernels);
  /// The launches of the node's kernel; null: it has none.
  [[nodiscard]] std::pair<const TableLaunches*, graph::KernelId> find(std::uint32_t rank,
                                                                      graph::NodeId node);

  EngineRun& run_;
  const DeviceWork& devices_;
  std::vector<TableLaunches> tables_;  ///< one per kernel table: one per job
};

}  // namespace orrery::sim
