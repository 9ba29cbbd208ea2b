// SPDX-License-Identifier: Apache-2.0
//
// What the engine tells its recorder about collectives: who meets whom, when phases waited and ran,
// what they sent. Only called when there is one.
#include <algorithm>
#include <bit>

#include "orrery/sim/engine.h"

namespace orrery::sim {

using platform::Algorithm;

void Engine::note_join(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                       const model::LogicalTopology& topology) {
  const Communicator& group = communicators_[communicator];
  const std::uint32_t member = group.member_of.empty() ? rank : group.member_of.find(rank)->second;
  std::vector<model::RingShape> rings;
  for (const model::LogicalDim& dim : topology.dims) {
    if (dim.involved && dim.ring.size > 1) rings.push_back(dim.ring);
  }
  recorder_->join(rank, node, communicator, member, group.next_stream[member], rings, now());
}

// Times that are -1 stay what they are.
void Engine::note_phase(const Stream& stream, std::int64_t queued, std::int64_t begun,
                        std::int64_t ended) {
  Block& block = blocks_[stream.block];
  const PhaseList& phases = planner_.list(stream.phases);
  if (block.marks.empty()) {
    block.mark_stride = static_cast<std::uint32_t>(phases.size());
    block.marks.resize(std::size_t{block.members} * block.mark_stride);
  }
  if (stream.phase >= block.mark_stride) return;  // its members disagree on the phases
  PhaseMark& mark = block.marks[std::size_t{stream.member} * block.mark_stride + stream.phase];
  mark.spec = phases[stream.phase].spec;
  if (queued >= 0) mark.queued = queued;
  if (begun >= 0) mark.begun = begun;
  if (ended >= 0) mark.ended = ended;
}

// The slowest message of a step, with and without its bytes.
std::pair<std::int64_t, std::int64_t> Engine::slowest_message(const Stream& stream,
                                                              const model::PhaseSpec& spec,
                                                              std::uint32_t packet) const {
  const std::int64_t bytes = spec.step_of(packet).bytes;
  const std::uint32_t communicator = blocks_[stream.block].communicator;
  const model::RingShape& ring = spec.request.ring;
  const bool direct = spec.request.algorithm.algorithm == Algorithm::direct;
  const std::uint32_t from = stream.member;
  const std::uint32_t position = ring.position(from);
  std::pair<std::int64_t, std::int64_t> slowest{0, 0};
  const std::uint32_t keys = direct ? std::max(1u, ring.size - 1) : 1;
  for (std::uint32_t k = 0; k < keys; ++k) {
    const std::uint32_t key = direct ? 1 + k : spec.key_of(packet);
    const std::uint32_t to = spec.destination(from, position, key);
    const std::uint32_t here = rank_of(communicator, from), there = rank_of(communicator, to);
    slowest = std::max(slowest, {fabric_.delay(here, there, bytes), fabric_.delay(here, there, 0)});
    if (spec.request.along_dim && fabric_.dim(spec.request.dim).block != platform::Block::ring)
      break;  // all are as far away
  }
  return slowest;
}

// What a phase takes when nobody is in its way: its messages one after another (`window` at a
// time), with the boundary before and after each.
Recorder::Phase Engine::undisturbed(const Stream& stream, const PhaseMark& mark) const {
  const model::PhaseSpec& spec = planner_.spec(mark.spec);
  Recorder::Phase phase{mark};
  const Algorithm algorithm = spec.request.algorithm.algorithm;
  const auto add = [&](std::uint32_t packet, std::int64_t times) {
    const auto [delay, latency] = slowest_message(stream, spec, packet);
    phase.latency += times * (latency + spec.endpoint);
    phase.transfer += times * (delay - latency + spec.step_of(packet).reduce);
  };
  if (algorithm == Algorithm::double_binary_tree) {
    add(0, 2 * std::bit_width(std::max(1u, spec.request.ring.size - 1)));
  } else if (algorithm == Algorithm::halving_doubling) {
    for (std::int32_t p = 0; p < spec.steps; ++p) add(static_cast<std::uint32_t>(p), 1);
  } else {
    const std::int32_t window = std::max(1, spec.window);
    add(0, (spec.steps + window - 1) / window);
  }
  phase.latency += spec.endpoint;
  return phase;
}

void Engine::note_last_chunk(const Stream& stream, const CollectiveOp& op) {
  const Block& block = blocks_[stream.block];
  if (block.marks.empty()) return;
  std::vector<Recorder::Phase> phases;
  for (std::uint32_t p = 0; p < block.mark_stride; ++p) {
    const PhaseMark& mark = block.marks[std::size_t{stream.member} * block.mark_stride + p];
    if (mark.ended >= 0) phases.push_back(undisturbed(stream, mark));
  }
  recorder_->last_chunk(op.rank, op.node, phases);
}

// Trees tell of each message themselves.
void Engine::note_traffic(const Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  if (links_ || spec.request.algorithm.algorithm == Algorithm::double_binary_tree) return;
  const Block& block = blocks_[stream.block];
  if (stream.phase >= block.mark_stride) return;
  const std::int64_t begun =
      block.marks[std::size_t{stream.member} * block.mark_stride + stream.phase].begun;
  if (spec.request.along_dim) {
    return recorder_->traffic(stream.rank, spec.request.dim,
                              static_cast<std::int64_t>(bytes_sent(stream)), begun, now());
  }
  const bool ring = spec.request.algorithm.algorithm == Algorithm::ring;
  const std::uint32_t packets = ring ? std::min(stream.sent, 1u) : stream.sent;
  for (std::uint32_t packet = 0; packet < packets; ++packet) {
    const std::uint32_t to = spec.destination(stream.member, stream.position, spec.key_of(packet));
    const std::int64_t bytes = spec.step_of(packet).bytes * (ring ? stream.sent : 1);
    recorder_->message(stream.rank, rank_of(block.communicator, to), bytes, begun, now() - begun);
  }
}

}  // namespace orrery::sim
