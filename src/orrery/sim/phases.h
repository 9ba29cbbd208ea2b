// SPDX-License-Identifier: Apache-2.0
//
// How a chunk goes through one dimension: which of the ways to run a phase takes it.
#pragma once

#include "orrery/sim/beside.h"
#include "orrery/sim/boundary.h"
#include "orrery/sim/chunk_queues.h"
#include "orrery/sim/closed_phases.h"
#include "orrery/sim/gatherings.h"
#include "orrery/sim/in_switches.h"
#include "orrery/sim/packets.h"
#include "orrery/sim/trees.h"

namespace orrery::sim {

/// Each way begins a phase, is told of what arrives for it, and says when it ends: closed forms,
/// trees, or packets.
class Phases : public ChunkQueues::Starter, public Boundary::Frees {
 public:
  Phases(Run& run, const Planner& planner, Chunks& chunks, Guard& guard, Agendas& agendas,
         Transport& transport, PhaseEnds& ends, BesideOthers& beside);

  void begin_phase(Stream& stream) override;
  void packets_free(Stream& stream, std::uint16_t count) override;
  /// A packet that has crossed the boundary is reduced.
  void reduce(std::uint32_t rank, const LocalEvent& event);
  /// Events that belong to phases: phase_end, deliver, late_receive, tree_…, ready_….
  void handle(const Event& event);
  /// Local events of ranks first … first+count-1.
  template <class Act>
  void run_agendas(const Event& event, const Act& act) {
    Event run{.count = 0};
    const bool plain = !transport_.contended() && !run_.guarded &&
                       !run_.platform.collectives.rendezvous &&
                       run_.now() < model::Fabric::kTooLong / 2;
    for (std::uint32_t rank = event.first; rank < event.first + event.count; ++rank) {
      if (plain && packets_.lone_step(rank, run)) continue;
      packets_.flush(run);
      agendas_.run(rank, act);
    }
    packets_.flush(run);
  }
  /// Decides what was left to decide in this tick. False: nothing was.
  bool settle() { return in_switches_.settle(); }
  void bus_expires(std::uint32_t rank, std::uint32_t code) { boundary_.expire(rank, code); }

  /// Whether the phase ends in one event.
  [[nodiscard]] bool is_worked_out(const model::PhaseSpec& spec) const {
    return InSwitches::runs(spec) ? in_switches_.is_worked_out() : closed_.knows(spec);
  }
  /// Members that wait for others to begin such a phase.
  [[nodiscard]] std::uint64_t waiting() const { return closed_.waiting(); }
  /// Whether messages have arrived that nobody wants yet.
  [[nodiscard]] bool any_early() const { return !early_.empty(); }

  /// Goes on from where another has come to.
  void resume(const Phases& other) {
    early_.resume(other.early_);
    boundary_.resume(other.boundary_);
    rendezvous_.resume(other.rendezvous_);
    closed_.resume(other.closed_);
    in_switches_.resume(other.in_switches_);
  }

 private:
  [[nodiscard]] PhaseRun& by_messages(const model::PhaseSpec& spec);
  void announcement_arrives(const Event& event);

  Run& run_;
  const Planner& planner_;
  Chunks& chunks_;
  Agendas& agendas_;
  Transport& transport_;
  BesideOthers& beside_;
  Early early_;
  Boundary boundary_;
  Rendezvous rendezvous_;
  ClosedPhases closed_;
  InSwitches in_switches_;
  Trees trees_;
  Packets packets_;
};

}  // namespace orrery::sim
