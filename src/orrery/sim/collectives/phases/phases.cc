// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/phases.h"

#include "orrery/core/check.h"

namespace orrery::sim {

Phases::Phases(EngineRun& run, const CollectivePlanner& planner, ChunkPool& chunks,
               FoldingGuard& guard, LocalEvents& local_events, Transport& transport,
               PhaseObserver& observer, KernelInterference& kernel_interference)
    : run_(run),
      planner_(planner),
      chunks_(chunks),
      local_events_(local_events),
      transport_(transport),
      kernel_interference_(kernel_interference),
      early_messages_(run.policy),
      boundary_(run, chunks, local_events, *this),
      rendezvous_(run, chunks, transport),
      closed_(run, chunks, observer),
      switch_phases_(run, planner, chunks, transport),
      tree_phases_(run, planner, chunks, guard, boundary_, transport, rendezvous_, early_messages_,
                   observer),
      step_phases_(run, planner, chunks, guard, boundary_, transport, rendezvous_, early_messages_,
                   observer) {}

PhaseRunner& Phases::by_messages(const model::PhaseSpec& spec) {
  if (spec.peers == model::Peers::tree) return tree_phases_;
  if (spec.peers == model::Peers::in_switches) return switch_phases_;
  return step_phases_;
}

void Phases::begin_phase(Stream& stream) {
  const QueuedPhase queued = planner_.list(stream.phases)[stream.phase];
  const model::PhaseSpec& spec = planner_.spec(queued.spec);
  stream.spec = &spec;
  if (run_.observer != nullptr) run_.observer->phase_begins(stream);
  if (kernel_interference_.is_enabled()) kernel_interference_.phase_begins(stream);
  stream.position = spec.request.ring.position(stream.member);
  stream.steps_left = spec.steps;
  stream.free = stream.received = stream.balance = 0;
  stream.held_at = -1;
  stream.inserted = stream.sent = 0;
  if (SwitchPhases::runs(spec)) return switch_phases_.begin(stream);
  if (closed_.supports(spec)) return closed_.begin(stream);
  run_.result.savings.phases_by_messages += run_.weight(stream.rank);
  by_messages(spec).begin(stream);
}

void Phases::on_packets_free(Stream& stream, std::uint16_t count) {
  by_messages(*stream.spec).on_packets_free(stream, count);
}

void Phases::reduce(std::uint32_t rank, const LocalEvent& event) {
  const std::int64_t duration = chunks_.at(event.stream).spec->step_of(event.arg).reduce;
  local_events_.at(rank, duration, {event.stream, 0, LocalEventKind::freed, event.repeat});
}

void Phases::announcement_arrives(const Event& event) {
  Chunk& block = chunks_[event.block];
  if (block.streams.empty()) return;
  Stream& receiver = chunks_.at(block, event.first);
  if (receiver.spec == nullptr) return;
  by_messages(*receiver.spec).on_announcement(receiver, event.key);
}

void Phases::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::phase_end:
      return closed_.handle(event);
    case EventKind::deliver:
    case EventKind::late_receive:
      return step_phases_.handle(event);
    case EventKind::tree_deliver:
    case EventKind::tree_late:
      return tree_phases_.handle(event);
    case EventKind::switch_deliver:
      return switch_phases_.handle(event);
    case EventKind::switch_free:
      return switch_phases_.release_switches(event);
    case EventKind::ready_to_send:
      return announcement_arrives(event);
    case EventKind::ready_late: {
      const AnnouncedSend send = rendezvous_.announced_send(event.first);
      return by_messages(*send.spec).transmit(send);
    }
    default:
      ORRERY_CHECK(false);
  }
}

}  // namespace orrery::sim
