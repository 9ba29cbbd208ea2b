// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/closed_form_phases.h"

#include <algorithm>

#include "orrery/model/collective/algorithms/collective_algorithm.h"

namespace orrery::sim {

bool ClosedFormPhases::knows(const model::PhaseSpec& spec) const {
  if (!run_.options.closed_forms || !run_.policy.closed_forms) return false;
  // What a library takes holds on any network: other messages do not change it.
  const bool by_library = spec.request.library.nodes > 0;
  const bool alone = run_.network.traits().uncontended && !run_.platform.collectives.rendezvous;
  if (!alone && !by_library) return false;
  // Who records wants to see each message of a tree.
  const bool tree = spec.peers == model::Peers::tree;
  return !(tree && run_.options.record) && model::has_closed_form(spec);
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
  const std::optional<ArrivedRing> all = ring_arrivals_.come(stream);
  if (!all) return;
  const std::int64_t duration = all->together ? uniform_duration(spec) : -1;
  if (all->ring_peers == nullptr) {
    return duration >= 0 ? end_together(block, spec, all->base, duration)
                         : end_apart(block, spec, all->base, {});
  }
  if (duration >= 0) {
    const std::int64_t time = run_.after(duration);
    for (const std::uint32_t player : all->players()) {
      run_.push({.time = time,
                 .kind = EventKind::phase_end,
                 .first = group.who_plays(player).member,
                 .block = stream.id.block});
    }
    return;
  }
  for (const std::uint32_t player : all->players()) {
    const std::uint32_t member = group.who_plays(player).member;
    const std::uint32_t own = member - ring.position(member) * ring.stride;
    end_apart(block, spec, own, {&member, 1});
  }
}

// What the phase takes when all begin it at once; -1: not the same everywhere.
std::int64_t ClosedFormPhases::uniform_duration(const model::PhaseSpec& spec) {
  if (spec.id >= even_.size()) even_.resize(spec.id + 1);
  if (!even_[spec.id]) even_[spec.id] = model::uniform_duration(spec).value_or(-1);
  return *even_[spec.id];
}

// All of a ring have begun the phase now.
void ClosedFormPhases::end_together(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
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

// The members of the ring at `base` have begun at different times. Ends for `members`, or for all.
void ClosedFormPhases::end_apart(Chunk& block, const model::PhaseSpec& spec, std::uint32_t base,
                                 std::span<const std::uint32_t> members) {
  const model::RingShape& ring = spec.request.ring;
  const Communicator& group = run_.communicators[block.communicator];
  begins_.resize(ring.size);
  done_.resize(ring.size);
  for (std::uint32_t p = 0; p < ring.size; ++p)
    begins_[p] = block.streams[group.player(base + p * ring.stride)].since;
  model::phase_ends(
      spec, begins_, done_, [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
        return run_.network.alone(run_.rank_of(block.communicator, base + from * ring.stride),
                                  run_.rank_of(block.communicator, base + to * ring.stride), bytes);
      });
  const auto end_at = [&](std::uint32_t member) {
    const Stream& stream = block.streams[group.player(member)];
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

void ClosedFormPhases::arrives(const Event& event) {
  Chunk& block = chunks_[event.block];
  const Communicator& group = run_.communicators[block.communicator];
  for (std::uint32_t m = event.first; m < event.first + event.count; ++m)
    ends_.phase_ends(block.streams[group.player(m)]);
}

}  // namespace orrery::sim
