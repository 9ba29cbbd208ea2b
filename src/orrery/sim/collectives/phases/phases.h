// SPDX-License-Identifier: Apache-2.0
//
// Runs the phase of a chunk in one dimension by the runner for its algorithm.
#pragma once

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/sim/collectives/chunks/chunk_queues.h"
#include "orrery/sim/collectives/phases/closed_form_phases.h"
#include "orrery/sim/collectives/phases/endpoint_boundary.h"
#include "orrery/sim/collectives/phases/ring_arrivals.h"
#include "orrery/sim/collectives/phases/step_phases.h"
#include "orrery/sim/collectives/phases/switch_phases.h"
#include "orrery/sim/collectives/phases/tree_phases.h"
#include "orrery/sim/engine/ranks/kernel_interference.h"

namespace orrery::sim {

/// Runs phases by closed forms, as trees, or as packets: begins each phase, passes arriving
/// messages on to it, and reports when it ends.
class Phases : public ChunkQueues::Starter, public EndpointBoundary::PacketObserver {
 public:
  Phases(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks, FoldingGuard& guard,
         LocalEvents& local_events, Transport& transport, PhaseObserver& observer,
         KernelInterference& kernel_interference);

  void begin_phase(Stream& stream) override;
  void on_packets_free(Stream& stream, std::uint16_t count) override;
  /// A packet that has crossed the boundary is reduced.
  void reduce(std::uint32_t rank, const LocalEvent& event);
  /// Events that belong to phases: phase_end, deliver, late_receive, tree_…, ready_….
  void handle(const Event& event);
  /// Local events of ranks first … first+count-1.
  template <class Act>
  void run_local_events(const Event& event, const Act& act) {
    Event run{.count = 0};
    const bool plain = !transport_.is_contended() && !run_.guarded &&
                       !run_.platform.collectives.rendezvous &&
                       run_.now() < model::MultiDimFabric::kTooLong / 2;
    for (std::uint32_t rank = event.first; rank < event.first + event.count; ++rank) {
      if (plain && step_phases_.run_single_step(rank, run)) continue;
      step_phases_.flush(run);
      local_events_.run(rank, act);
    }
    step_phases_.flush(run);
  }
  /// Makes the decisions left for the end of this tick. Returns false if there were none.
  bool settle() { return switch_phases_.settle(); }
  void bus_expires(std::uint32_t rank, std::uint32_t code) { boundary_.expire(rank, code); }

  /// Whether one event ends the phase for a member, without messages.
  [[nodiscard]] bool ends_in_one_event(const model::PhaseSpec& spec) const {
    return SwitchPhases::runs(spec) ? switch_phases_.ends_in_one_event() : closed_.supports(spec);
  }
  /// Number of members that wait for others to begin a phase in closed form.
  [[nodiscard]] std::uint64_t waiting() const { return closed_.waiting(); }
  /// Whether messages have arrived that no stream expects yet.
  [[nodiscard]] bool has_early_messages() const { return !early_messages_.empty(); }

  /// Continues from the state of `other`.
  void resume(const Phases& other) {
    early_messages_.resume(other.early_messages_);
    boundary_.resume(other.boundary_);
    rendezvous_.resume(other.rendezvous_);
    closed_.resume(other.closed_);
    switch_phases_.resume(other.switch_phases_);
  }
  /// For checkpoints. The planner and the chunks are loaded first.
  void save(StateWriter& to) const {
    to(early_messages_, boundary_, rendezvous_, closed_, switch_phases_);
  }
  void load(StateReader& from) {
    from(early_messages_, boundary_);
    rendezvous_.load(from, planner_);
    from(closed_, switch_phases_);
  }

 private:
  [[nodiscard]] PhaseRunner& by_messages(const model::PhaseSpec& spec);
  void announcement_arrives(const Event& event);

  EngineRun& run_;
  const CollectivePlanner& planner_;
  ChunkPool& chunks_;
  LocalEvents& local_events_;
  Transport& transport_;
  KernelInterference& kernel_interference_;
  EarlyMessages early_messages_;
  EndpointBoundary boundary_;
  Rendezvous rendezvous_;
  ClosedFormPhases closed_;
  SwitchPhases switch_phases_;
  TreePhases tree_phases_;
  StepPhases step_phases_;
};

}  // namespace orrery::sim
