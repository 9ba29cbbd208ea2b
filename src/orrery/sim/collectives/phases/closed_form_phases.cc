// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/closed_form_phases.h"

#include "orrery/model/collective/algorithms/collective_algorithm.h"

namespace orrery::sim {

bool ClosedFormPhases::supports(const EngineRun& run, const model::PhaseSpec& spec) {
  if (!run.options.closed_forms || !run.policy.closed_forms) return false;
  // The time of a library is valid on any network: other messages do not change it.
  const bool by_library = spec.request.library.nodes > 0;
  const bool alone = run.network.traits().uncontended && !run.platform.collectives.rendezvous;
  if (!alone && !by_library) return false;
  // Recordings need each message of a tree.
  const bool tree = spec.peers == model::Peers::tree;
  return !(tree && run.options.record) && model::has_closed_form(spec);
}

void ClosedFormPhases::begin(Stream& stream) {
  Chunk& block = chunks_.of(stream);
  const model::PhaseSpec& spec = *stream.spec;
  const model::RingShape& ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  const auto messages = static_cast<std::uint32_t>(
      model::algorithm_of(spec.request.algorithm).messages(spec, stream.position));
  stream.since = run_.now();
  stream.sent = messages;
  run_.result.messages += std::uint64_t{messages} * run_.weight(stream.rank);
  run_.result.savings.phases_by_closed_form += run_.weight(stream.rank);
  const std::optional<ArrivedRing> all = ring_arrivals_.arrive(stream);
  if (!all) return;
  const std::int64_t duration = all->simultaneous ? uniform_duration(spec) : -1;
  if (all->ring_peers == nullptr) {
    return duration >= 0 ? end_at_once(block, spec, all->base, duration)
                         : end_separately(block, spec, all->base, {});
  }
  if (duration >= 0) {
    const std::int64_t time = run_.after(duration);
    for (const std::uint32_t representative : all->representatives()) {
      run_.push({.time = time,
                 .kind = EventKind::phase_end,
                 .first = group.representative_at(representative).member,
                 .block = stream.id.block});
    }
    return;
  }
  for (const std::uint32_t representative : all->representatives()) {
    const std::uint32_t member = group.representative_at(representative).member;
    const std::uint32_t own = member - ring.position(member) * ring.stride;
    end_separately(block, spec, own, {&member, 1});
  }
}

// Duration of the phase if all members begin it at once; -1: differs between members.
std::int64_t ClosedFormPhases::uniform_duration(const model::PhaseSpec& spec) {
  if (spec.id >= uniform_durations_.size()) uniform_durations_.resize(spec.id + 1);
  if (!uniform_durations_[spec.id])
    uniform_durations_[spec.id] = model::uniform_duration(spec).value_or(-1);
  return *uniform_durations_[spec.id];
}

// All members of a ring have begun the phase now.
void ClosedFormPhases::end_at_once(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
                                   std::int64_t duration) {
  const model::RingShape& ring = spec.request.ring;
  const auto number = static_cast<std::uint32_t>(block.streams[base].id.block);
  const std::int64_t time = run_.after(duration);
  const bool in_a_row = ring.stride == 1;
  for (std::uint32_t p = 0; p < ring.size; p += in_a_row ? ring.size : 1) {
    run_.push({.time = time,
               .kind = EventKind::phase_end,
               .first = base + p * ring.stride,
               .count = in_a_row ? ring.size : 1,
               .block = number});
  }
}

// The members of the ring at `base` have begun at different times. Schedules the ends of `members`;
// empty: of all members.
void ClosedFormPhases::end_separately(Chunk& block, const model::PhaseSpec& spec,
                                      std::uint32_t base, std::span<const std::uint32_t> members) {
  const model::RingShape& ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  begins_.resize(ring.size);
  done_.resize(ring.size);
  for (std::uint32_t p = 0; p < ring.size; ++p)
    begins_[p] = block.streams[group.representative(base + p * ring.stride)].since;
  model::phase_ends(spec, begins_, done_,
                    [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
                      return run_.network.uncontended_time(
                          run_.rank_of(block.communicator, base + from * ring.stride),
                          run_.rank_of(block.communicator, base + to * ring.stride), bytes);
                    });
  const auto end_at = [&](std::uint32_t member) {
    const Stream& stream = block.streams[group.representative(member)];
    run_.push({.time = run_.after(done_[ring.position(member)] - run_.now()),
               .kind = EventKind::phase_end,
               .first = member,
               .block = stream.id.block});
  };
  if (members.empty()) {
    for (std::uint32_t p = 0; p < ring.size; ++p) end_at(base + p * ring.stride);
  }
  for (const std::uint32_t member : members) end_at(member);
}

void ClosedFormPhases::handle(const Event& event) {
  Chunk& block = chunks_[event.block];
  const Communicator& group = run_.communicators[block.communicator];
  for (std::uint32_t m = event.first; m < event.first + event.count; ++m)
    observer_.on_phase_end(block.streams[group.representative(m)]);
}

}  // namespace orrery::sim
