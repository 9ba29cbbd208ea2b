// SPDX-License-Identifier: Apache-2.0
//
// The boundary between a device and its network, which packets cross.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/model/memory/shared_bus.h"
#include "orrery/sim/engine/ranks/local_events.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// A packet waits for the endpoint delay plus, if it carries data to reduce, the reduction time. If
/// the platform has a shared memory bus, it crosses the bus instead.
class EndpointBoundary {
 public:
  /// The observer of packets that have crossed the bus. (Packets that have waited for the delay are
  /// local events: inserted, inserted_sum, freed.)
  class PacketObserver {
   public:
    virtual ~PacketObserver() = default;
    virtual void on_packets_free(Stream& stream, std::uint16_t count) = 0;
  };

  EndpointBoundary(EngineRun& run, ChunkPool& chunks, LocalEvents& local_events,
                   PacketObserver& observer)
      : run_(run), chunks_(chunks), local_events_(local_events), observer_(observer) {}

  /// `packet` of the running phase and `count - 1` equal ones wait for the endpoint delay.
  void wait(Stream& stream, std::uint32_t packet, bool reduce, std::uint16_t count = 1) {
    local_events_.at(stream.rank, stream.spec->endpoint,
                     {stream.id, packet,
                      reduce ? LocalEventKind::inserted_sum : LocalEventKind::inserted, count});
  }
  /// `packet` crosses the bus; `returns`: and comes back.
  void cross(Stream& stream, std::uint32_t packet, model::SharedBus::TransferDirection way,
             bool reduce, bool returns);
  /// Local events of kind bus.
  void expire(std::uint32_t rank, std::uint32_t code);

  /// Continues from the state of `other`.
  void resume(const EndpointBoundary& other) {
    buses_.clear();
    for (const auto& bus : other.buses_)
      buses_.push_back(bus ? std::make_unique<model::SharedBus>(*bus) : nullptr);
    crossings_ = other.crossings_;
    free_crossings_ = other.free_crossings_;
  }
  /// For checkpoints.
  void save(StateWriter& to) const { to(buses_, crossings_, free_crossings_); }
  void load(StateReader& from);

 private:
  [[nodiscard]] std::unique_ptr<model::SharedBus> new_bus() const;
  void set_timers(std::uint32_t rank);

  EngineRun& run_;
  ChunkPool& chunks_;
  LocalEvents& local_events_;
  PacketObserver& observer_;
  std::vector<std::unique_ptr<model::SharedBus>> buses_;  // by rank; null: not used yet
  std::vector<Crossing> crossings_;                       // by bus token
  std::vector<std::uint32_t> free_crossings_;
};

}  // namespace orrery::sim
