// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores over the network, where memories are end points of it.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// An access goes evenly over all memories of its rank: a message from each of them, or to it,
/// which meets all others on its way. It ends when the last is there, and the latency of memory
/// after that.
class NetworkMemory {
 public:
  NetworkMemory(EngineRun& run, LocalEvents& local_events, Transport& transport,
                KernelInterference& kernel_interference)
      : run_(run),
        local_events_(local_events),
        transport_(transport),
        kernel_interference_(kernel_interference) {}

  /// Accesses go over the network.
  [[nodiscard]] bool on() const {
    return run_.platform.remote_memory.kind == platform::RemoteMemoryKind::network;
  }
  void begin(std::uint32_t rank, graph::NodeId node, Bytes size, bool store);
  /// EventKind::memory_came.
  void arrives(const Event& event);
  /// What has begun to cross, of all ranks, where some stand for others, too.
  [[nodiscard]] const model::StageTraffic& traffic() const { return traffic_; }

  /// Goes on from where another has come to.
  void resume(const NetworkMemory& other) {
    accesses_ = other.accesses_;
    free_ = other.free_;
    traffic_ = other.traffic_;
  }

 private:
  struct Access {
    std::uint32_t rank = 0;
    graph::NodeId node = 0;
    std::uint32_t left = 0;  // messages that are not there yet
    std::int64_t bytes = 0;
    bool store = false;
    std::int64_t begun = 0;
    std::int64_t alone = 0;  // what it takes with nobody in its way, without the latency
    std::int64_t rate = 0;   // bytes/s then: what the device's own memory is taken to move
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
