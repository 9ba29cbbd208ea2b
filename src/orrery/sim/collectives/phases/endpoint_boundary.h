// SPDX-License-Identifier: Apache-2.0
//
// Packets cross the boundary between a device and its network.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/model/memory/shared_bus.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// A packet waits the endpoint delay and, where it carries data to reduce, that time: or it crosses
/// a shared memory bus, where the platform has one.
class EndpointBoundary {
 public:
  /// Who wants to know of packets that have come across the bus. (Those that have waited the delay
  /// are local events: inserted, inserted_sum, freed.)
  class Frees {
   public:
    virtual ~Frees() = default;
    virtual void packets_free(Stream& stream, std::uint16_t count) = 0;
  };

  EndpointBoundary(EngineRun& run, ChunkPool& chunks, LocalEvents& local_events, Frees& frees)
      : run_(run), chunks_(chunks), local_events_(local_events), frees_(frees) {}

  /// `packet` of the running phase waits the endpoint delay, and `count - 1` more like it.
  void wait(Stream& stream, std::uint32_t packet, bool reduce, std::uint16_t count = 1) {
    local_events_.at(stream.rank, stream.spec->endpoint,
                     {stream.id, packet,
                      reduce ? LocalEventKind::inserted_sum : LocalEventKind::inserted, count});
  }
  /// … or crosses the bus; `returns`: and back.
  void cross(Stream& stream, std::uint32_t packet, model::SharedBus::TransferDirection way,
             bool reduce, bool returns);
  /// Local events of kind bus.
  void expire(std::uint32_t rank, std::uint32_t code);

  /// Goes on from where another has come to.
  void resume(const EndpointBoundary& other) {
    buses_.clear();
    for (const auto& bus : other.buses_)
      buses_.push_back(bus ? std::make_unique<model::SharedBus>(*bus) : nullptr);
    crossings_ = other.crossings_;
    free_crossings_ = other.free_crossings_;
  }

 private:
  void set_timers(std::uint32_t rank);

  EngineRun& run_;
  ChunkPool& chunks_;
  LocalEvents& local_events_;
  Frees& frees_;
  std::vector<std::unique_ptr<model::SharedBus>> buses_;  // by rank, once used
  std::vector<Crossing> crossings_;                       // by bus token
  std::vector<std::uint32_t> free_crossings_;
};

}  // namespace orrery::sim
