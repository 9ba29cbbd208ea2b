// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/recording_observer.h"

#include <algorithm>

#include "orrery/model/compute/compute_model.h"
#include "orrery/sim/collectives/phases/switch_phases.h"

namespace orrery::sim {

using model::Peers;

namespace {

std::size_t node_count(const graph::Workload& workload) {
  std::size_t nodes = 0;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    nodes += workload.graph(rank).size();
  return nodes;
}

std::vector<std::vector<TimeSource>> all_timed_by(const graph::Workload& workload,
                                                  const platform::Platform& platform,
                                                  const Options& options) {
  const auto compute = model::make_compute_model(platform, options.kernel_models);
  std::vector<std::vector<TimeSource>> all;
  for (const graph::GraphRef& graph : workload.graphs) {
    std::vector<TimeSource>& nodes = all.emplace_back(graph->size());
    for (graph::NodeId node = 0; node < graph->size(); ++node)
      nodes[node] = compute->source(*graph, node);
  }
  return all;
}

}  // namespace

RecordingObserver::RecordingObserver(EngineRun& run, const CollectivePlanner& planner,
                                     ChunkPool& chunks, const Transport& transport,
                                     const std::vector<CollectiveOp>& operations)
    : run_(run),
      planner_(planner),
      chunks_(chunks),
      transport_(transport),
      ops_(operations),
      recorder_(run.workload, run.fabric, run.network, run.communicators.all(),
                node_count(run.workload), planner.queue_count()) {
  run.network.observe(this);
}

std::unique_ptr<Recording> RecordingObserver::finish(std::vector<NodeTimes> times) && {
  auto made = std::move(recorder_).finish(std::move(times));
  made->timed_by = all_timed_by(run_.workload, run_.platform, run_.options);
  const std::vector<PredictedCollective> all = planner_.predicted();
  for (CollectiveInstance& join : made->joins) {
    if (join.predicted == kNone) continue;
    join.predicted = static_cast<std::uint32_t>(
        std::find(all.begin(), all.end(), planner_.predicted(join.predicted)) - all.begin());
  }
  made->chunk_phases = std::move(chunk_phases_);
  made->uncontended = run_.network.traits().uncontended;
  made->network = run_.shared.network.get();
  return made;
}

void RecordingObserver::memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) {
  recorder_.memory_served(rank, node, lost);
}

void RecordingObserver::message(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
                                std::int64_t delay) {
  recorder_.message(from, to, bytes, run_.now(), delay);
}

void RecordingObserver::joins(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                              const model::LogicalTopology& topology) {
  const Communicator& group = run_.communicators[communicator];
  const std::uint32_t member = group.member(rank);
  std::vector<model::RingShape> rings;
  for (const model::LogicalDim& dim : topology.dims) {
    if (dim.involved && dim.ring.size > 1) rings.push_back(dim.ring);
  }
  const ChunkSequence& chunks = chunks_.sequence(communicator);
  const std::uint64_t chunk = chunks.next.empty() ? 0 : chunks.next[group.player(member)];
  recorder_.join(rank, node, communicator, member, chunk, rings, run_.now());
}

void RecordingObserver::joins_custom(std::uint32_t rank, graph::NodeId node,
                                     std::uint32_t communicator) {
  const std::uint32_t member = run_.communicators[communicator].member(rank);
  recorder_.custom(rank, node, communicator, member, run_.now());
}

void RecordingObserver::sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes) {
  recorder_.sent(rank, node, bytes);
}

void RecordingObserver::chunk_waits(const Stream& stream) {
  Chunk& block = chunks_.of(stream);
  if (block.history.empty()) block.history.resize(block.players);
  block.history[stream.member].queued = run_.now();
}

void RecordingObserver::last_chunk_ends(const Stream& stream) {
  const Chunk& block = chunks_.of(stream);
  if (block.history.empty()) return;
  const ChunkHistory& history = block.history[stream.member];
  const CollectiveOp& op = ops_[stream.op];
  recorder_.done(op.rank, op.node, history.queue, history.latency);
}

// A chunk that waited for another one of its collective goes on from where that one was; for
// another collective it waited in a queue.
void RecordingObserver::phase_begins(const Stream& stream) {
  ChunkHistory& history = chunks_.of(stream).history[stream.member];
  history.begun = run_.now();
  const CollectiveOp& op = ops_[stream.op];
  if (stream.spec->request.library.nodes > 0)
    recorder_.predicted(op.rank, op.node, stream.spec->id, 2 * stream.spec->endpoint);
  const auto together = recorder_.together(op.rank, op.node);
  if (!together || history.begun == history.queued) return;
  const std::uint32_t queue = planner_.list(stream.phases)[stream.phase].queue;
  if (const ChunkHistory* before = recorder_.just_left(stream.rank, queue, stream.op, run_.now())) {
    history.queue = before->queue;
    history.latency = before->latency;
    return;
  }
  history.queue += run_.now() - std::min(run_.now(), std::max(history.queued, *together));
}

void RecordingObserver::phase_ends(const Stream& stream) {
  ChunkHistory& history = chunks_.of(stream).history[stream.member];
  note_traffic(stream, history.begun);
  const CollectiveOp& op = ops_[stream.op];
  const auto together = recorder_.together(op.rank, op.node);
  if (!together || history.begun < *together) history.queue = history.latency = 0;
  if (together) {
    const std::int64_t ran = run_.now() - std::max(history.begun, std::min(*together, run_.now()));
    const auto [latency, transfer] = undisturbed(stream);
    history.latency += std::min(ran, latency);
    history.queue += std::max<std::int64_t>(0, ran - latency - transfer);
  }
  const std::uint32_t queue = planner_.list(stream.phases)[stream.phase].queue;
  if (run_.options.record_chunks)
    chunk_phases_.push_back({op.rank, op.node, stream.id.block, queue, history.begun, run_.now()});
  recorder_.left(stream.rank, queue, stream.op, history, run_.now());
}

// The slowest message of a step when nobody is in its way, with and without its bytes.
std::pair<std::int64_t, std::int64_t> RecordingObserver::slowest_message(
    const Stream& stream, std::uint32_t packet) const {
  const model::PhaseSpec& spec = *stream.spec;
  const std::int64_t bytes = spec.step_of(packet).bytes;
  const std::uint32_t communicator = chunks_.of(stream).communicator;
  const bool direct = spec.peers == Peers::each;
  const bool equivalent =  // all peers are as far away
      spec.request.along_dim && !run_.fabric.ports_deviate(spec.request.dim) &&
      run_.fabric.dim(spec.request.dim).block != platform::Block::ring;
  const std::uint32_t keys = direct && !equivalent ? spec.request.ring.size - 1 : 1;
  std::pair<std::int64_t, std::int64_t> slowest{0, 0};
  for (std::uint32_t k = 0; k < keys; ++k) {
    const std::uint32_t key = direct ? 1 + k : spec.key_of(packet);
    const std::uint32_t to =
        run_.rank_of(communicator, spec.destination(stream.member, stream.position, key));
    slowest = std::max(
        slowest, {transport_.alone(stream.rank, to, bytes), transport_.alone(stream.rank, to, 0)});
  }
  return slowest;
}

// Direct where messages share links: what the messages of one window take longer than one of them
// because they leave by the same links.
std::int64_t RecordingObserver::shared_links(const Stream& stream) const {
  const model::PhaseSpec& spec = *stream.spec;
  const platform::Dimension& dim = run_.fabric.dim(spec.request.dim);
  if (!transport_.contended() || dim.block == platform::Block::fully_connected) return 0;
  const std::int64_t one =
      run_.fabric.delay_in_dim(spec.request.dim, 0, spec.step_of(0).bytes);  // no hops: its bytes
  const std::int64_t others = std::max(1, spec.window) - 1;
  if (dim.block == platform::Block::switched) return others * one;
  // A ring: the hops of all, over two links, less those of the one that goes farthest.
  const std::int64_t half = spec.request.ring.size / 2;
  return std::max<std::int64_t>(0, (others + 1) * half / 4 - half) * one;
}

// Latency and transfer of the phase when nobody is in its way: its messages one after another
// (`window` at a time), with the boundary before and after each.
std::pair<std::int64_t, std::int64_t> RecordingObserver::undisturbed(const Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.id >= undisturbed_.size()) undisturbed_.resize(spec.id + 1, {-1, 0});
  const bool same = spec.request.library.nodes > 0 ||
                    (spec.request.along_dim && !run_.fabric.ports_deviate(spec.request.dim));
  if (undisturbed_[spec.id].first < 0 || !same)  // the same for every rank
    undisturbed_[spec.id] = work_out(stream);
  return undisturbed_[spec.id];
}

// All that the tree takes but for its bytes is latency.
std::pair<std::int64_t, std::int64_t> RecordingObserver::by_switches(const Stream& stream) const {
  const model::PhaseSpec& spec = *stream.spec;
  const auto tree =
      planner_.switch_tree(chunks_.group(chunks_.of(stream)), spec.request.ring, stream.member);
  if (!tree) return {0, 0};  // the run has failed
  const std::int64_t latency = (*tree)->latency + (*tree)->latency_down;
  return {latency + 2 * spec.endpoint, (*tree)->duration(SwitchPhases::asked(spec)) - latency};
}

std::pair<std::int64_t, std::int64_t> RecordingObserver::work_out(const Stream& stream) const {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.request.library.nodes > 0) return {spec.latency, 2 * spec.endpoint - spec.latency};
  if (SwitchPhases::runs(spec)) return by_switches(stream);
  std::int64_t latency = spec.endpoint, transfer = 0;
  const auto add = [&](std::uint32_t packet, std::int64_t times, std::int64_t more) {
    const auto [delay, hops] = slowest_message(stream, packet);
    latency += times * (hops + spec.endpoint);
    transfer += times * (delay - hops + spec.step_of(packet).reduce + more);
  };
  if (spec.peers == Peers::tree) {
    // Up and down; a level's neighbours are 1, 2, 4 … positions apart.
    for (std::uint32_t apart = 1; apart < spec.request.ring.size; apart *= 2) {
      const std::int64_t bytes = spec.request.data;
      const std::uint32_t to =
          run_.rank_of(chunks_.of(stream).communicator,
                       spec.request.ring.clockwise(stream.member, stream.position, apart));
      const std::int64_t hops = transport_.alone(stream.rank, to, 0);
      latency += 2 * (hops + spec.endpoint);
      transfer += 2 * (transport_.alone(stream.rank, to, bytes) - hops) + spec.step_of(0).reduce;
    }
  } else if (spec.peers == Peers::exchange) {
    for (std::int32_t p = 0; p < spec.steps; ++p) add(static_cast<std::uint32_t>(p), 1, 0);
  } else {
    const std::int32_t window = std::max(1, spec.window);
    const bool direct = spec.peers == Peers::each;
    add(0, (spec.steps + window - 1) / window, direct ? shared_links(stream) : 0);
  }
  return {latency, transfer};
}

// Between nodes each GPU's card carries what its node has to send, spread over the node's GPUs; of
// an all-to-all, what is for other nodes.
void RecordingObserver::note_library_traffic(const Stream& stream, std::int64_t begun) {
  const model::PhaseSpec& spec = *stream.spec;
  const auto bytes = static_cast<std::int64_t>(spec.bytes_of(stream.sent));
  const std::int64_t n = spec.request.ring.size;
  const std::int64_t nodes = spec.request.library.nodes;
  const std::int64_t near = std::max<std::int64_t>(n / nodes, 1);
  std::int64_t out = 0;
  if (nodes > 1)
    out = spec.request.type == graph::CollectiveType::all_to_all
              ? static_cast<std::int64_t>(spec.bytes_of(static_cast<std::uint32_t>(n - near)))
              : bytes / near;
  const std::uint32_t outer = spec.request.dim;
  if (out > 0) recorder_.traffic(stream.rank, outer, out, begun, run_.now());
  if (out < bytes)
    recorder_.traffic(stream.rank, nodes > 1 ? 0 : outer, bytes - out, begun, run_.now());
}

// Trees tell of each message themselves.
void RecordingObserver::note_traffic(const Stream& stream, std::int64_t begun) {
  const model::PhaseSpec& spec = *stream.spec;
  if (transport_.contended() || spec.peers == Peers::tree) return;
  if (spec.request.library.nodes > 0) return note_library_traffic(stream, begun);
  if (spec.request.along_dim) {
    return recorder_.traffic(stream.rank, spec.request.dim,
                             static_cast<std::int64_t>(spec.bytes_of(stream.sent)), begun,
                             run_.now());
  }
  const bool ring = spec.peers == Peers::next;
  const std::uint32_t packets = ring ? std::min(stream.sent, 1u) : stream.sent;
  for (std::uint32_t packet = 0; packet < packets; ++packet) {
    const std::uint32_t to =
        run_.rank_of(chunks_.of(stream).communicator,
                     spec.destination(stream.member, stream.position, spec.key_of(packet)));
    const std::int64_t bytes = spec.step_of(packet).bytes * (ring ? stream.sent : 1);
    recorder_.message(stream.rank, to, bytes, begun, run_.now() - begun);
  }
}

}  // namespace orrery::sim
