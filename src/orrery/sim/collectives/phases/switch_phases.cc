// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/switch_phases.h"

#include <algorithm>
#include <utility>

#include "orrery/model/collective/algorithms/message_times.h"

namespace orrery::sim {

using model::SwitchTree;

// Null: there is none, and the run fails.
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
  const std::optional<ArrivedRing> all = ring_arrivals_.come(stream);
  if (!all) return;
  const std::uint32_t first =
      all->ring_peers == nullptr
          ? all->base
          : chunks_.group(chunks_.of(stream)).who_plays(all->players().front()).member;
  const SwitchTree* known = tree(chunks_.of(stream), spec, first);
  if (known == nullptr) return;
  const std::uint32_t number = keep({&spec, stream.id.block, *all, run_.now(), 0, {}, known});
  check_folding(chunks_.of(stream), spec, *known);
  if (known->limited.empty()) return start(number);
  wait_for_switches(number);
}

std::uint32_t SwitchPhases::keep(UnderWay phase) {
  if (free_.empty()) {
    under_way_.push_back(std::move(phase));
    return static_cast<std::uint32_t>(under_way_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  under_way_[number] = std::move(phase);
  return number;
}

void SwitchPhases::wait_for_switches(std::uint32_t number) {
  const UnderWay& phase = under_way_[number];
  const Chunk& block = chunks_[phase.block];
  streams_.ask(
      {run_.now(), block.order, block.communicator, phase.ring.leader, number, phase.tree});
}

// One group that is run for several that are alike takes streams of its own switches only. That is
// what happens where each such switch is in the tree of one ring of one group. And trees by which
// sums take equally long may not be equal to tokens.
void SwitchPhases::check_folding(const Chunk& block, const model::PhaseSpec& spec,
                                 const SwitchTree& tree) {
  const bool tokens = spec.request.exchange && tree.levels > 1;
  if (!run_.folded_workload.smaller() || (tree.limited.empty() && !tokens)) return;
  if (!looked_at_.emplace(block.communicator, spec.id).second) return;
  const model::RingShape& ring = spec.request.ring;
  const auto communicators = static_cast<std::uint32_t>(run_.communicators.all().size());
  for (std::uint32_t c = 0; c < communicators; ++c) {
    if (run_.folded_workload.communicator(c) != block.communicator) continue;
    const Communicator& group = run_.communicators[c];
    for (std::uint32_t member = 0; member < group.members; ++member) {
      if (ring.position(member) != 0) continue;
      const auto other = planner_.switch_tree(group, ring, member);
      if (!other) continue;  // who runs it will say so
      if (tokens && (*other)->duration(asked(spec)) != tree.duration(asked(spec)))
        run_.fold_failed = "tokens of groups that are alike pass unlike switches";
      for (const auto& limited : (*other)->limited) {
        const Owner owner{c, *other};
        if (owners_.try_emplace(limited.at, owner).first->second == owner) continue;
        run_.fold_failed = "groups share switches that do only so many collectives at once";
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
  UnderWay& phase = under_way_[number];
  phase.end = run_.now();
  if (!ends_in_one_event()) return send(number);
  const model::PhaseSpec& spec = *phase.spec;
  const std::int64_t duration = phase.tree->duration(asked(spec));
  end(number, run_.after(model::later(duration, 2 * spec.endpoint)));
}

// Where ranks stand for others, each sends what is its own.
void SwitchPhases::send(std::uint32_t number) {
  const UnderWay phase = under_way_[number];
  const Chunk& block = chunks_[phase.block];
  const model::RingShape& ring = phase.spec->request.ring;
  if (phase.ring.ring_peers == nullptr) {
    const SwitchTree& known = *phase.tree;
    wait_for_buffers(number, known);
    for (std::uint32_t edge = 0; edge < known.edges.size(); ++edge) send(number, known, edge, 1);
    return;
  }
  for (const std::uint32_t player : phase.ring.players()) {
    const Player who = chunks_.group(block).who_plays(player);
    const std::uint32_t position = ring.position(who.member);
    const SwitchTree* known = tree(block, *phase.spec, who.member);
    if (known == nullptr) return;
    wait_for_buffers(number, *known);
    send(number, *known, position, run_.weight(who.rank));
  }
}

void SwitchPhases::wait_for_buffers(std::uint32_t number, const SwitchTree& tree) {
  UnderWay& phase = under_way_[number];
  phase.end = std::max(phase.end, run_.after(tree.buffered(asked(*phase.spec))));
}

void SwitchPhases::send(std::uint32_t number, const SwitchTree& tree, std::uint32_t edge,
                        std::uint32_t weight) {
  UnderWay& phase = under_way_[number];
  const model::PhaseSpec& spec = *phase.spec;
  const SwitchTree::Edge& at = tree.edges[edge];
  const model::LinkBytes bytes = tree.link_bytes(asked(spec), at);
  for (const bool down : {false, true}) {
    ++phase.left;
    const Event arrival{.kind = EventKind::switch_deliver,
                        .first = number,
                        .key = static_cast<std::uint32_t>(phase.beyond.size()),
                        .block = phase.block,
                        .spec = spec.id};
    phase.beyond.push_back(tree.latency + tree.latency_down -
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

void SwitchPhases::arrives(const Event& event) {
  UnderWay& phase = under_way_[event.first];
  phase.end = std::max(phase.end, run_.after(phase.beyond[event.key]));
  if (--phase.left > 0) return;
  const std::int64_t wait = 2 * phase.spec->endpoint;
  end(event.first, run_.after(model::later(phase.end - run_.now(), wait)));
}

void SwitchPhases::leaves_switches(const Event& event) {
  streams_.leave(*under_way_[event.first].tree);
  forget(event.first);
}

void SwitchPhases::forget(std::uint32_t number) {
  under_way_[number].beyond.clear();
  free_.push_back(number);
}

void SwitchPhases::end(std::uint32_t number, std::int64_t time) {
  const UnderWay& phase = under_way_[number];
  const model::RingShape& ring = phase.spec->request.ring;
  const auto one = [&](std::uint32_t member) {
    run_.push({.time = time, .kind = EventKind::phase_end, .first = member, .block = phase.block});
  };
  if (phase.ring.ring_peers == nullptr) {
    for (std::uint32_t p = 0; p < ring.size; ++p) one(phase.ring.base + p * ring.stride);
  } else {
    for (const std::uint32_t player : phase.ring.players())
      one(chunks_.group(chunks_[phase.block]).who_plays(player).member);
  }
  if (phase.tree->limited.empty()) return forget(number);
  run_.push({.time = time, .kind = EventKind::switch_free, .first = number});
}

}  // namespace orrery::sim
