// SPDX-License-Identifier: Apache-2.0
//
// What ranks do by themselves with their devices: compute, and load and store.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/model/compute/compute_model.h"
#include "orrery/model/memory/memory_pools.h"
#include "orrery/model/memory/remote_memory.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/ranks/network_memory.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Works out how long a node takes and has it end after that (LocalKind::node_done, memory_done).
class DeviceWork {
 public:
  DeviceWork(EngineRun& run, LocalEvents& local_events, Transport& transport,
             KernelInterference& kernel_interference)
      : run_(run),
        local_events_(local_events),
        kernel_interference_(kernel_interference),
        compute_(model::make_compute_model(run.platform, run.options.kernel_models)),
        remote_memory_(run.platform),
        pools_(run.platform),
        network_memory_(run, local_events, transport, kernel_interference) {}

  /// How long a compute node will take; 0 where that cannot be told, which compute() says why.
  [[nodiscard]] Time length(std::uint32_t rank, graph::NodeId node) const;
  /// Who tells how long compute nodes take.
  [[nodiscard]] const model::ComputeModel& models() const { return *compute_; }
  /// A compute node. False: it takes no time at all, not even a tick.
  [[nodiscard]] bool compute(std::uint32_t rank, graph::NodeId node);
  /// Any node, for as long as was recorded.
  void replay(std::uint32_t rank, graph::NodeId node);
  /// A load or store: in remote memory where there is one, in its turn or beside others.
  void access(std::uint32_t rank, graph::NodeId node);
  /// A load or store ends that had its turn: the memory serves the next.
  void access_ends(std::uint32_t rank);
  /// The tick is over, as far as others know. False: there is nothing to do.
  [[nodiscard]] bool settle() {
    if (!pools_.unsettled()) return false;
    pools_.settle(run_.now());
    tell_moved();
    tell_rates();
    return true;
  }
  /// When accesses that share memory want the clock to be.
  [[nodiscard]] std::int64_t next() const { return pools_.next(); }
  /// The clock is there: who has ended.
  [[nodiscard]] std::vector<model::MemoryPools::FinishedAccess> ended();
  /// What has crossed remote memories and what is between them and devices.
  [[nodiscard]] const model::MemoryPools& pools() const { return pools_; }
  /// Whoever observes the run is told what moves when.
  void watch() { pools_.watch(); }
  /// Memories in the network.
  [[nodiscard]] NetworkMemory& network_memory() { return network_memory_; }

  /// Goes on from where another has come to.
  void resume(const DeviceWork& other) {
    remote_memory_ = other.remote_memory_;
    pools_ = other.pools_;
    copying_ = other.copying_;
    network_memory_.resume(other.network_memory_);
  }

 private:
  void serve(const model::RemoteMemory::Access& access);
  void share(std::uint32_t rank, graph::NodeId node);
  void tell_rates();
  void tell_moved();
  [[nodiscard]] Time deviating(std::uint32_t rank, graph::NodeId node, Time duration) const;
  void fail_at(std::uint32_t rank, graph::NodeId node, Error what);

  EngineRun& run_;
  LocalEvents& local_events_;
  KernelInterference& kernel_interference_;
  std::unique_ptr<model::ComputeModel> compute_;
  model::RemoteMemory remote_memory_;
  model::MemoryPools pools_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> copying_;  // rank and bytes/s, as last told
  NetworkMemory network_memory_;
};

}  // namespace orrery::sim
