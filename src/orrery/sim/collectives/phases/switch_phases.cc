// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/switch_phases.h"

#include <algorithm>

#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::sim {

using model::SwitchTree;

// Null: there is no tree, and the run fails.
const SwitchTree* SwitchPhases::tree(const Chunk& block, const model::PhaseSpec& spec,
                                     std::uint32_t member) {
  const auto found = planner_.switch_tree(chunks_.group(block), spec.request.ring, member);
  if (found) return *found;
  run_.fail(found.error());
  return nullptr;
}

void SwitchPhases::begin(Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  stream.since = run_.now();
  stream.sent = 1;
  if (ends_in_one_event()) {
    run_.result.messages += run_.weight(stream.rank);
    run_.result.savings.phases_by_closed_form += run_.weight(stream.rank);
  } else {
    run_.result.savings.phases_by_messages += run_.weight(stream.rank);
  }
  const std::optional<ArrivedRing> all = ring_arrivals_.arrive(stream);
  if (!all) return;
  const SwitchTree* known = tree(chunks_.of(stream), spec, first_member(chunks_.of(stream), *all));
  if (known == nullptr) return;
  const std::uint32_t number = add({&spec, stream.id.block, *all, run_.now(), 0, {}, known});
  const Chunk& block = chunks_.of(stream);
  check_folding(block.communicator, spec, *known);
  if (known->limited.empty()) return start(number);
  streams_.request({run_.now(), block.order, block.communicator, all->leader, number, known});
}

std::uint32_t SwitchPhases::first_member(const Chunk& block, const ArrivedRing& ring) const {
  if (ring.ring_peers == nullptr) return ring.base;
  return chunks_.group(block).representative_at(ring.representatives().front()).member;
}

std::uint32_t SwitchPhases::add(RunningPhase phase) {
  if (free_.empty()) {
    running_phases_.push_back(std::move(phase));
    return static_cast<std::uint32_t>(running_phases_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  running_phases_[number] = std::move(phase);
  return number;
}

// A group that represents equivalent ones acquires streams of its own switches only. This is
// correct if each such switch is in the tree of only one ring of one group. In addition, trees with
// equal times for reductions can differ for tokens.
void SwitchPhases::check_folding(std::uint32_t communicator, const model::PhaseSpec& spec,
                                 const SwitchTree& tree) {
  const bool tokens = spec.request.exchange && tree.levels > 1;
  if (!run_.folded_workload.is_folded() || (tree.limited.empty() && !tokens)) return;
  if (!checked_.emplace(communicator, spec.id).second) return;
  const model::RingShape& ring = spec.request.ring;
  const auto communicators = static_cast<std::uint32_t>(run_.communicators.all().size());
  for (std::uint32_t c = 0; c < communicators; ++c) {
    if (run_.folded_workload.communicator(c) != communicator) continue;
    const Communicator& group = run_.communicators[c];
    for (std::uint32_t member = 0; member < group.members; ++member) {
      if (ring.position(member) != 0) continue;
      const auto other = planner_.switch_tree(group, ring, member);
      if (!other) continue;  // the run of that group reports the error
      if (tokens &&
          (*other)->duration(switch_collective(spec)) != tree.duration(switch_collective(spec)))
        run_.fold_failed = "tokens of equivalent groups pass different switches";
      for (const auto& limited : (*other)->limited) {
        const Owner owner{c, *other};
        if (owners_.try_emplace(limited.at, owner).first->second == owner) continue;
        run_.fold_failed = "groups share switches with a limited number of concurrent collectives";
      }
      if (!run_.fold_failed.empty()) return;
    }
  }
}

bool SwitchPhases::settle() {
  const std::vector<std::uint32_t> begin = streams_.admit();
  for (const std::uint32_t number : begin) start(number);
  return !begin.empty();
}

void SwitchPhases::start(std::uint32_t number) {
  RunningPhase& phase = running_phases_[number];
  phase.end = run_.now();
  if (!ends_in_one_event()) return send(number);
  const model::PhaseSpec& spec = *phase.spec;
  const std::int64_t duration = phase.tree->duration(switch_collective(spec));
  end(number, run_.after(model::later(duration, 2 * spec.endpoint)));
}

// If ranks represent others, each sends the messages of its own members.
void SwitchPhases::send(std::uint32_t number) {
  const RunningPhase phase = running_phases_[number];
  const Chunk& block = chunks_[phase.block];
  const model::RingShape& ring = phase.spec->request.ring;
  if (phase.ring.ring_peers == nullptr) {
    const SwitchTree& known = *phase.tree;
    wait_for_buffers(number, known);
    for (std::uint32_t edge = 0; edge < known.edges.size(); ++edge) send(number, known, edge, 1);
    return;
  }
  for (const std::uint32_t representative : phase.ring.representatives()) {
    const Representative who = chunks_.group(block).representative_at(representative);
    const std::uint32_t position = ring.position(who.member);
    const SwitchTree* known = tree(block, *phase.spec, who.member);
    if (known == nullptr) return;
    wait_for_buffers(number, *known);
    send(number, *known, position, run_.weight(who.rank));
  }
}

void SwitchPhases::wait_for_buffers(std::uint32_t number, const SwitchTree& tree) {
  RunningPhase& phase = running_phases_[number];
  phase.end = std::max(phase.end, run_.after(tree.buffered(switch_collective(*phase.spec))));
}

void SwitchPhases::send(std::uint32_t number, const SwitchTree& tree, std::uint32_t edge,
                        std::uint32_t weight) {
  RunningPhase& phase = running_phases_[number];
  const model::PhaseSpec& spec = *phase.spec;
  const SwitchTree::Edge& at = tree.edges[edge];
  const model::LinkBytes bytes = tree.link_bytes(switch_collective(spec), at);
  for (const bool down : {false, true}) {
    ++phase.pending_messages;
    const Event arrival{.kind = EventKind::switch_deliver,
                        .first = number,
                        .key = static_cast<std::uint32_t>(phase.extra_latencies.size()),
                        .block = phase.block,
                        .spec = spec.id};
    phase.extra_latencies.push_back(tree.latency + tree.latency_down -
                                    (down ? at.latency_down : at.latency));
    transport_.send({.from = down ? at.parent : at.child,
                     .to = down ? at.child : at.parent,
                     .bytes = down ? bytes.down : bytes.up,
                     .weight = weight,
                     .flow = chunks_[phase.block].flow(),
                     .order = step_order(spec.id, 2 * edge + (down ? 1 : 0))},
                    0, arrival);
  }
}

void SwitchPhases::handle(const Event& event) {
  RunningPhase& phase = running_phases_[event.first];
  phase.end = std::max(phase.end, run_.after(phase.extra_latencies[event.key]));
  if (--phase.pending_messages > 0) return;
  const std::int64_t wait = 2 * phase.spec->endpoint;
  end(event.first, run_.after(model::later(phase.end - run_.now(), wait)));
}

void SwitchPhases::release_switches(const Event& event) {
  streams_.release(*running_phases_[event.first].tree);
  remove(event.first);
}

void SwitchPhases::remove(std::uint32_t number) {
  running_phases_[number].extra_latencies.clear();
  free_.push_back(number);
}

void SwitchPhases::end(std::uint32_t number, std::int64_t time) {
  const RunningPhase& phase = running_phases_[number];
  const model::RingShape& ring = phase.spec->request.ring;
  const auto one = [&](std::uint32_t member) {
    run_.push({.time = time, .kind = EventKind::phase_end, .first = member, .block = phase.block});
  };
  if (phase.ring.ring_peers == nullptr) {
    for (std::uint32_t p = 0; p < ring.size; ++p) one(phase.ring.base + p * ring.stride);
  } else {
    for (const std::uint32_t representative : phase.ring.representatives())
      one(chunks_.group(chunks_[phase.block]).representative_at(representative).member);
  }
  if (phase.tree->limited.empty()) return remove(number);
  run_.push({.time = time, .kind = EventKind::switch_free, .first = number});
}

void SwitchPhases::save(StateWriter& to) const {
  to(ring_arrivals_, free_, running_phases_, streams_, checked_);
  for (std::uint32_t number = 0; number < running_phases_.size(); ++number) {
    if (std::find(free_.begin(), free_.end(), number) == free_.end())
      to(running_phases_[number].spec->id);
  }
}

void SwitchPhases::load(StateReader& from) {
  from(ring_arrivals_, free_, running_phases_, streams_);
  const auto checked = from.take<std::set<std::pair<std::uint32_t, std::uint32_t>>>();
  for (std::uint32_t number = 0; number < running_phases_.size() && !from.failed(); ++number) {
    if (std::find(free_.begin(), free_.end(), number) == free_.end())
      load_phase(from, running_phases_[number]);
  }
  streams_.set_trees([&](std::uint32_t number) -> const SwitchTree* {
    from.require(number < running_phases_.size());
    return from.failed() ? nullptr : running_phases_[number].tree;
  });
  // The checks found no difference, so that any tree of the group confirms them.
  for (const auto& [communicator, id] : checked) {
    const model::PhaseSpec* spec = planner_.spec_numbered(id);
    from.require(spec != nullptr && communicator < run_.communicators.all().size());
    if (from.failed()) return;
    const auto known =
        planner_.switch_tree(run_.communicators[communicator], spec->request.ring, 0);
    if (known) check_folding(communicator, *spec, **known);
  }
}

void SwitchPhases::load_phase(StateReader& from, RunningPhase& phase) {
  phase.spec = planner_.spec_numbered(from.take<std::uint32_t>());
  from.require(phase.spec != nullptr && phase.block < chunks_.count());
  if (from.failed()) return;
  const Chunk& block = chunks_[phase.block];
  phase.ring.ring_peers = ring_arrivals_.peers_of(block, *phase.spec);
  phase.tree = tree(block, *phase.spec, first_member(block, phase.ring));
  from.require(phase.tree != nullptr);
}

}  // namespace orrery::sim
