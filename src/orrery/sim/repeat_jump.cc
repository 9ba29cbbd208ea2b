// SPDX-License-Identifier: Apache-2.0
//
// A run jumps over repetitions: everything that is to come moves on in time and in the graphs, and
// what one repetition added to the results is added once for each of them.
#include <algorithm>
#include <limits>
#include <utility>

#include "orrery/sim/accounts.h"
#include "orrery/sim/agendas.h"
#include "orrery/sim/chunks.h"
#include "orrery/sim/collectives.h"
#include "orrery/sim/messages.h"
#include "orrery/sim/repeat.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

using graph::NodeId;

namespace {

std::int64_t saturating_product(std::int64_t a, std::int64_t times) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a <= most / times ? a * times : most;
}

// What a Time grew by, times over. Times of one rank stay below the clock's end.
void grow(Time& value, Time before, std::int64_t times) { value += (value - before) * times; }

// Counters wrap around as they would have done one by one.
void grow(std::uint64_t& value, std::uint64_t before, std::int64_t times) {
  value += (value - before) * static_cast<std::uint64_t>(times);
}

}  // namespace

void Repeater::count_repeats(const Jump& jump) {
  const std::int64_t times = jump.times;
  for (std::size_t rank = 0; rank < run_.shared.results.size(); ++rank) {
    RankResult& result = run_.shared.results[rank];
    const RankResult& then = before_.results[rank];
    grow(result.compute, then.compute, times);
    grow(result.overlapped, then.overlapped, times);
    grow(result.comm, then.comm, times);
    grow(result.memory, then.memory, times);
    grow(result.comm_only, then.comm_only, times);
    grow(result.memory_only, then.memory_only, times);
    grow(result.idle, then.idle, times);
    grow(result.sent_bytes, then.sent_bytes, times);
    // Wraps around like the sum itself would: nodes that overlap are not bounded by the clock.
    std::int64_t& gpu = run_.shared.gpu_time[rank];
    const auto more =
        static_cast<std::uint64_t>(gpu) - static_cast<std::uint64_t>(before_.gpu_time[rank]);
    gpu = static_cast<std::int64_t>(static_cast<std::uint64_t>(gpu) +
                                    more * static_cast<std::uint64_t>(times));
  }
  for (auto& [key, total] : parts_.accounts.totals()) {
    const auto found = before_.totals.find(key);
    const CollectiveTotal then = found == before_.totals.end() ? CollectiveTotal{} : found->second;
    grow(total.operations, then.operations, times);
    grow(total.bytes, then.bytes, times);
    grow(total.sent, then.sent, times);
    const std::int64_t more = saturating_product((total.time - then.time).count(), times);
    total.time = saturating_sum(total.time, Time(more));
  }
  for (const Finding& finding : run_.result.findings.list()) {
    const std::uint64_t more = finding.count - before_.findings.count(finding.code);
    if (more > 0)
      run_.result.findings.add(finding.code, {}, more * static_cast<std::uint64_t>(times));
  }
  grow(run_.result.messages, before_.messages, times);
  grow(run_.result.savings.phases_worked_out, before_.worked_out, times);
  grow(run_.result.savings.phases_by_messages, before_.by_messages, times);
  run_.result.savings.iterations_skipped +=
      static_cast<std::uint64_t>(times) * (markers_ - before_.marker);
}

// Nodes that are skipped ran when those one repetition before them did, and one repetition later.
// What has been touched and is not done keeps its place in the repetition.
void Repeater::move_nodes(const Jump& jump) {
  std::size_t i = 0;  // in lasts
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    RankState& state = run_.shared.states[rank];
    const NodeId moved = jump.nodes(rank);
    if (moved == 0) continue;
    NodeTimes* times = &run_.shared.times[run_.shared.first_times[rank]];
    const NodeId front = state.front;
    const std::vector<std::uint32_t> waits(state.waits.begin() + front,
                                           state.waits.begin() + state.reach + 1);
    const std::vector<NodeTimes> kept(times + front, times + state.reach + 1);
    const auto size = static_cast<NodeId>(waits.size());
    for (NodeId node = front; node < front + moved + size; ++node) {
      const bool was_done = node - front < size && waits[node - front] == kDone;
      const NodeId place = node - front - moved;  // among those kept; only when it moves there
      const bool is_done = node < front + moved || waits[place] == kDone;
      if (is_done && !was_done) repeat_node(rank, node, jump);
      if (is_done) continue;
      state.waits[node] = waits[place];
      times[node] = kept[place];
      if (times[node].start >= 0) times[node].start += jump.delay();
      if (times[node].released_by != graph::kNoNode) times[node].released_by += moved;
      if (times[node].sender != kNone && run_.graph_of(rank).kind(node) == graph::NodeKind::coll)
        repeat_coming(rank, node, jump, jump.times);
    }
    state.left -= moved;
    state.front += moved;
    state.reach += moved;
    state.since += jump.delay();
    for (Lane& lane : state.lanes) {
      if (!lane.unlimited && lane.last != before_.lasts[i++].first) lane.last += moved;
      for (NodeId& node : lane.ready) node += moved;
    }
  }
}

void Repeater::repeat_node(std::uint32_t rank, NodeId node, const Jump& jump) {
  const NodeId step = jump.node_step[rank];
  NodeTimes& times = run_.shared.times[run_.shared.first_times[rank] + node];
  times = run_.shared.times[run_.shared.first_times[rank] + node - step];
  times.start += jump.step;
  times.end += jump.step;
  if (times.released_by != graph::kNoNode) times.released_by += step;
  if (times.sender != kNone && run_.graph_of(rank).kind(node) == graph::NodeKind::coll) {
    repeat_coming(rank, node, jump, 1);
  } else if (times.sender != kNone) {
    const auto [sender, sent] = parts_.messages.state().senders[times.sender];
    times.sender = static_cast<std::uint32_t>(parts_.messages.state().senders.size());
    parts_.messages.state().senders.emplace_back(sender, sent + jump.node_step[sender]);
  }
  run_.shared.states[rank].waits[node] = kDone;
}

// A collective has moved on, with its time, by so many repetitions.
void Repeater::repeat_coming(std::uint32_t rank, NodeId node, const Jump& jump,
                             std::int64_t times) {
  NodeTimes& ran = run_.shared.times[run_.shared.first_times[rank] + node];
  const std::uint32_t communicator = parts_.collectives.known_communicator(rank, node);
  ran.sender += static_cast<std::uint32_t>(times) * jump.chunk_step[communicator];
  run_.shared.comings[communicator].come(ran.sender, ran.start);
}

// Who waits for what: nodes and tags. (Entries that are not in use move too; nobody looks at them.)
void Repeater::move_messages(const Jump& jump) {
  for (CollectiveOp& op : parts_.collectives.operations()) op.node += jump.nodes(op.rank);
  for (std::size_t c = 0; c < jump.chunk_step.size(); ++c)
    run_.shared.comings[c].skip(static_cast<std::uint32_t>(jump.times) * jump.chunk_step[c]);
  for (Receive& receive : parts_.messages.state().receives) {
    receive.who.node += jump.nodes(receive.who.rank);
    receive.key.tag = jump.tag(receive.key.tag);
    if (receive.since >= 0) receive.since += jump.delay();
  }
  for (P2pMessage& message : parts_.messages.state().messages) {
    message.sender.node += jump.nodes(message.sender.rank);
    message.key.tag = jump.tag(message.key.tag);
  }
  if (jump.tag_step == 0) return;
  const Mailboxes old = std::exchange(parts_.messages.state().mailboxes, {});
  for (const Mailboxes::Entry& entry : old.entries()) {
    if (!entry.used) continue;
    MessageKey key = entry.key;
    key.tag = jump.tag(key.tag);
    parts_.messages.state().mailboxes.at(key) = entry.box;
  }
}

void Repeater::move_times(const Jump& jump) {
  for (std::size_t rank = 0; rank < run_.shared.hosts.size(); ++rank) {
    run_.shared.hosts[rank].skip(before_.hosts[rank], jump.step, jump.times);
  }
  for (std::uint32_t rank = 0; rank < run_.shared.beside.size(); ++rank) {
    for (BesideState::Kernel& kernel : run_.shared.beside[rank].kernels) {
      kernel.node += jump.nodes(rank);
      for (std::int64_t* time : {&kernel.since, &kernel.end, &kernel.begun}) *time += jump.delay();
    }
  }
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
    for (const auto& [time, event] : parts_.agendas.pending(rank)) {
      if (event->kind != LocalKind::begins) event->arg += jump.nodes(rank);
    }
    parts_.agendas.shift(rank, jump.delay());
  }
  for (std::uint32_t number = 0; number < parts_.chunks.count(); ++number) {
    Chunk& block = parts_.chunks[number];
    for (Gathering& gathering : block.gatherings) gathering.first += jump.delay();
    if (block.streams.empty()) continue;
    for (std::uint32_t player = 0; player < block.players; ++player) {
      block.streams[player].since += jump.delay();
    }
  }
  run_.queue.shift(jump.delay());
  if (marker_ != graph::kNoNode) move_marker(jump.nodes(lead_));
}

}  // namespace orrery::sim
