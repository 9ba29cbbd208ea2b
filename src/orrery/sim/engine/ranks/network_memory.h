// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores over the network, to memories that are end points of it.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Distributes an access evenly over all memories of its rank: one message from each memory for a
/// load, or to each for a store. The messages contend with all other traffic. The access ends one
/// memory latency after the last message arrives.
class NetworkMemory {
 public:
  NetworkMemory(EngineRun& run, LocalEvents& local_events, Transport& transport,
                KernelInterference& kernel_interference)
      : run_(run),
        local_events_(local_events),
        transport_(transport),
        kernel_interference_(kernel_interference) {}

  /// Whether accesses use the network.
  [[nodiscard]] bool is_enabled() const {
    return run_.platform.remote_memory.kind == platform::RemoteMemoryKind::network;
  }
  void begin(std::uint32_t rank, graph::NodeId node, Bytes size, bool store);
  /// Handles events of kind memory_message.
  void handle(const Event& event);
  /// Bytes of the accesses that have begun, summed over all ranks that simulated ranks represent.
  [[nodiscard]] const model::StageTraffic& traffic() const { return traffic_; }

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, local_events, transport, interference, accesses, free, traffic] = self;
    return std::tie(accesses, free, traffic);
  }
  /// Continues from the state of `other`.
  void resume(const NetworkMemory& other) { fields(*this) = fields(other); }

 private:
  struct Access {
    std::uint32_t rank = 0;
    graph::NodeId node = 0;
    std::uint32_t pending_messages = 0;  // that have not arrived
    std::int64_t bytes = 0;
    bool store = false;
    std::int64_t begun = 0;
    std::int64_t alone = 0;  // picoseconds without contention and without the memory latency
    std::int64_t rate = 0;   // bytes/s over `alone`: use of the device's own memory
  };
  [[nodiscard]] std::uint32_t new_access(const Access& access);

  EngineRun& run_;
  LocalEvents& local_events_;
  Transport& transport_;
  KernelInterference& kernel_interference_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_;
  model::StageTraffic traffic_;
};

}  // namespace orrery::sim
