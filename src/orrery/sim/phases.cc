// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/phases.h"

#include "orrery/core/check.h"

namespace orrery::sim {

Phases::Phases(Run& run, const Planner& planner, Chunks& chunks, Guard& guard, Agendas& agendas,
               Transport& transport, PhaseEnds& ends, BesideOthers& beside)
    : run_(run),
      planner_(planner),
      chunks_(chunks),
      agendas_(agendas),
      transport_(transport),
      beside_(beside),
      early_(run.policy),
      boundary_(run, chunks, agendas, *this),
      rendezvous_(run, chunks, transport),
      closed_(run, chunks, ends),
      in_switches_(run, planner, chunks, transport),
      trees_(run, planner, chunks, guard, boundary_, transport, rendezvous_, early_, ends),
      packets_(run, planner, chunks, guard, boundary_, transport, rendezvous_, early_, ends) {}

PhaseRun& Phases::by_messages(const model::PhaseSpec& spec) {
  if (spec.peers == model::Peers::tree) return trees_;
  if (spec.peers == model::Peers::meet) return in_switches_;
  return packets_;
}

void Phases::begin_phase(Stream& stream) {
  const QueuedPhase queued = planner_.list(stream.phases)[stream.phase];
  const model::PhaseSpec& spec = planner_.spec(queued.spec);
  stream.spec = &spec;
  if (run_.observer != nullptr) run_.observer->phase_begins(stream);
  if (beside_.on()) beside_.phase_begins(stream);
  stream.position = spec.request.ring.position(stream.member);
  stream.steps_left = spec.steps;
  stream.free = stream.received = stream.balance = 0;
  stream.held_at = -1;
  stream.inserted = stream.sent = 0;
  if (InSwitches::runs(spec)) return in_switches_.begin(stream);
  if (closed_.knows(spec)) return closed_.begin(stream);
  run_.result.savings.phases_by_messages += run_.weight(stream.rank);
  by_messages(spec).begin(stream);
}

void Phases::packets_free(Stream& stream, std::uint16_t count) {
  by_messages(*stream.spec).free(stream, count);
}

void Phases::reduce(std::uint32_t rank, const LocalEvent& event) {
  const std::int64_t takes = chunks_.at(event.stream).spec->step_of(event.arg).reduce;
  agendas_.at(rank, takes, {event.stream, 0, LocalKind::freed, event.repeat});
}

void Phases::announcement_arrives(const Event& event) {
  Chunk& block = chunks_[event.block];
  if (block.streams.empty()) return;
  Stream& receiver = chunks_.at(block, event.first);
  if (receiver.spec == nullptr) return;
  by_messages(*receiver.spec).announced(receiver, event.key);
}

void Phases::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::phase_end:
      return closed_.arrives(event);
    case EventKind::deliver:
    case EventKind::late_receive:
      return packets_.arrives(event);
    case EventKind::tree_deliver:
    case EventKind::tree_late:
      return trees_.arrives(event);
    case EventKind::switch_deliver:
      return in_switches_.arrives(event);
    case EventKind::switch_free:
      return in_switches_.leaves_switches(event);
    case EventKind::ready_to_send:
      return announcement_arrives(event);
    case EventKind::ready_late: {
      const AnnouncedSend send = rendezvous_.asked(event.first);
      return by_messages(*send.spec).leaves(send);
    }
    default:
      ORRERY_CHECK(false);
  }
}

}  // namespace orrery::sim
