// SPDX-License-Identifier: Apache-2.0
//
// Local work of ranks: computation, loads and stores.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/model/caller/caller_compute.h"
#include "orrery/model/compute/compute_model.h"
#include "orrery/model/memory/memory_pools.h"
#include "orrery/model/memory/remote_memory.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/ranks/network_memory.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Computes the duration of a node and schedules its end (LocalEventKind::node_done, memory_done).
class DeviceWork {
 public:
  DeviceWork(EngineRun& run, LocalEvents& local_events, Transport& transport,
             KernelInterference& kernel_interference)
      : run_(run),
        local_events_(local_events),
        kernel_interference_(kernel_interference),
        compute_(model::with_caller_times(
            model::make_compute_model(run.platform, run.options.kernel_models), run.options.caller,
            run.platform.device.name)),
        remote_memory_(run.platform),
        pools_(run.platform),
        network_memory_(run, local_events, transport, kernel_interference) {}

  /// The duration of a compute node; 0 if no model predicts it, for which compute() gives the
  /// reason.
  [[nodiscard]] Time duration(std::uint32_t rank, graph::NodeId node) const;
  /// The model that predicts the durations of compute nodes.
  [[nodiscard]] const model::ComputeModel& models() const { return *compute_; }
  /// Begins a compute node. Returns false if it takes no time at all, not even a tick.
  [[nodiscard]] bool compute(std::uint32_t rank, graph::NodeId node);
  /// Begins any node with its recorded duration.
  void replay(std::uint32_t rank, graph::NodeId node);
  /// Begins a load or store, in remote memory if there is one. Accesses are queued or run
  /// concurrently.
  void access(std::uint32_t rank, graph::NodeId node);
  /// A queued load or store has ended: the memory serves the next one.
  void access_ends(std::uint32_t rank);
  /// End of the tick, as far as other components know. Returns false if there was nothing to do.
  [[nodiscard]] bool settle() {
    if (!pools_.unsettled()) return false;
    pools_.settle(run_.now());
    report_transfers();
    report_rates();
    return true;
  }
  /// The time at which accesses that share memory need take_finished().
  [[nodiscard]] std::int64_t next() const { return pools_.next(); }
  /// The clock has reached next(): returns the accesses that have ended.
  [[nodiscard]] std::vector<model::MemoryPools::FinishedAccess> take_finished();
  /// Traffic of remote memories and of the links between them and devices.
  [[nodiscard]] const model::MemoryPools& pools() const { return pools_; }
  /// Records transfers over time, for the observer of the run.
  void record_transfers() { pools_.watch(); }
  /// Memories in the network.
  [[nodiscard]] NetworkMemory& network_memory() { return network_memory_; }

  /// Continues from the state of `other`.
  void resume(const DeviceWork& other) {
    remote_memory_ = other.remote_memory_;
    pools_ = other.pools_;
    copying_ = other.copying_;
    network_memory_.resume(other.network_memory_);
  }
  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [run, local_events, interference, compute, remote_memory, pools, copying,
           network_memory] = self;
    return std::tie(remote_memory, pools, copying, network_memory);
  }

 private:
  void serve(const model::RemoteMemory::Access& access);
  void share_memory(std::uint32_t rank, graph::NodeId node);
  void report_rates();
  void report_transfers();
  [[nodiscard]] Time with_deviation(std::uint32_t rank, graph::NodeId node, Time duration) const;
  void fail_at(std::uint32_t rank, graph::NodeId node, Error what);

  EngineRun& run_;
  LocalEvents& local_events_;
  KernelInterference& kernel_interference_;
  std::unique_ptr<model::ComputeModel> compute_;
  model::RemoteMemory remote_memory_;
  model::MemoryPools pools_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> copying_;  // rank, last notified bytes/s
  NetworkMemory network_memory_;
};

}  // namespace orrery::sim
