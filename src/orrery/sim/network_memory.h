// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores over the network, where memories are end points of it.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/model/memory/memory_pools.h"
#include "orrery/sim/agendas.h"
#include "orrery/sim/beside.h"
#include "orrery/sim/run.h"
#include "orrery/sim/transport.h"

namespace orrery::sim {

/// The memories that a rank of the workload uses, as end points: those that are nearest to it, or
/// all. Ascending.
[[nodiscard]] std::vector<model::EndPoint> memories_of(const platform::RemoteMemory& memory,
                                                       const model::Network& network,
                                                       std::uint32_t rank);

/// An access goes evenly over all memories of its rank: a message from each of them, or to it,
/// which meets all others on its way. It ends when the last is there, and the latency of memory
/// after that.
class NetworkMemory {
 public:
  NetworkMemory(Run& run, Agendas& agendas, Transport& transport, BesideOthers& beside)
      : run_(run), agendas_(agendas), transport_(transport), beside_(beside) {}

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

  Run& run_;
  Agendas& agendas_;
  Transport& transport_;
  BesideOthers& beside_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_;
  model::StageTraffic traffic_;
};

}  // namespace orrery::sim
