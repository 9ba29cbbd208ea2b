// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/recording_observer.h"

#include <algorithm>
#include <unordered_map>

#include "orrery/model/caller/caller_compute.h"
#include "orrery/model/compute/compute_model.h"
#include "orrery/sim/collectives/phases/switch_phases.h"

namespace orrery::sim {

using model::Peers;

namespace {

std::vector<std::vector<TimeSource>> all_timed_by(const graph::Workload& workload,
                                                  const platform::Platform& platform,
                                                  const Options& options) {
  const auto compute =
      model::with_caller_times(model::make_compute_model(platform, options.kernel_models),
                               options.caller, platform.device.name);
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
    : Recorder(run, planner.queue_count()),
      run_(run),
      planner_(planner),
      chunks_(chunks),
      transport_(transport),
      ops_(operations) {
  run.network.observe(this);
}

std::unique_ptr<Recording> RecordingObserver::finish(std::vector<NodeTimes> times) && {
  auto made = std::move(*this).Recorder::finish(std::move(times));
  made->timed_by = all_timed_by(run_.workload, run_.platform, run_.options);
  const std::vector<PredictedCollective> all = planner_.predicted();
  std::unordered_map<std::uint32_t, std::uint32_t> places;  // by spec: index in `all`
  for (CollectiveInstance& collective : made->collectives) {
    if (collective.predicted == kNone) continue;
    const auto [known, added] = places.try_emplace(collective.predicted);
    if (added)
      known->second = static_cast<std::uint32_t>(
          std::find(all.begin(), all.end(), planner_.predicted(collective.predicted)) -
          all.begin());
    collective.predicted = known->second;
  }
  made->chunk_phases = std::move(chunk_phases_);
  made->uncontended = run_.network.traits().uncontended;
  made->network = run_.shared.network.get();
  return made;
}

void RecordingObserver::message(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
                                std::int64_t delay) {
  add_message(from, to, bytes, run_.now(), delay);
}

void RecordingObserver::collective_begins(std::uint32_t rank, graph::NodeId node,
                                          std::uint32_t communicator,
                                          const model::LogicalTopology& topology) {
  const Communicator& group = run_.communicators[communicator];
  std::uint32_t member = known_member(rank, communicator);
  if (member == kNone) member = group.representative_at(group.representative_of_rank(rank)).member;
  rings_.clear();
  for (const model::LogicalDim& dim : topology.dims) {
    if (dim.involved && dim.ring.size > 1) rings_.push_back(dim.ring);
  }
  const ChunkSequence& chunks = chunks_.sequence(communicator);
  const std::uint64_t chunk = chunks.next.empty() ? 0 : chunks.next[group.representative(member)];
  add_member(rank, node, communicator, member, chunk, rings_, run_.now());
}

void RecordingObserver::custom_collective_begins(std::uint32_t rank, graph::NodeId node,
                                                 std::uint32_t communicator) {
  const std::uint32_t member = run_.communicators[communicator].member(run_.real(rank));
  add_custom_member(rank, node, communicator, member, run_.now());
}

ChunkHistory& RecordingObserver::history_of(const Stream& stream) {
  Chunk& block = chunks_.of(stream);
  return block.history[run_.communicators[block.communicator].representative(stream.member)];
}

void RecordingObserver::chunk_waits(const Stream& stream) {
  Chunk& block = chunks_.of(stream);
  if (block.history.empty()) block.history.resize(block.representatives);
  history_of(stream).queued = run_.now();
}

void RecordingObserver::last_chunk_ends(const Stream& stream) {
  const Chunk& block = chunks_.of(stream);
  if (block.history.empty()) return;
  const ChunkHistory& history = history_of(stream);
  const CollectiveOp& op = ops_[stream.op];
  end_collective(op.rank, op.node, history.queue, history.latency);
}

std::vector<Recorder::IssuedChunks> RecordingObserver::issued_chunks() const {
  std::vector<IssuedChunks> all(run_.communicators.all().size());
  for (std::uint32_t c = 0; c < all.size(); ++c) {
    const std::vector<std::uint32_t>& next = chunks_.sequence(c).next;
    if (!next.empty()) all[c] = {next.front(), *std::min_element(next.begin(), next.end())};
  }
  return all;
}

void RecordingObserver::append_state(std::vector<std::int64_t>& words) {
  append_collectives(issued_chunks(), run_.now(), words);
}

void RecordingObserver::append_state(const Stream& stream, std::vector<std::int64_t>& words) {
  const ChunkHistory& history = history_of(stream);
  const bool runs = stream.spec != nullptr;
  const std::int64_t row[] = {history.queued - run_.now(), runs ? history.begun - run_.now() : 0,
                              history.queue, history.latency,
                              static_cast<std::int64_t>(ops_[stream.op].sent)};
  words.insert(words.end(), std::begin(row), std::end(row));
}

void RecordingObserver::skip(const Jump& jump) {
  skip_repetitions(jump, issued_chunks());
  for (std::uint32_t number = 0; number < chunks_.count(); ++number) {
    for (ChunkHistory& history : chunks_[number].history) {
      history.queued += jump.delay();
      history.begun += jump.delay();
    }
  }
}

// If the chunk waited for another chunk of its collective, it continues that chunk's history. If it
// waited for another collective, it waited in a queue.
void RecordingObserver::phase_begins(const Stream& stream) {
  ChunkHistory& history = history_of(stream);
  history.begun = run_.now();
  const CollectiveOp& op = ops_[stream.op];
  if (stream.spec->request.library.nodes > 0)
    add_predicted_phase(op.rank, op.node, stream.spec->id, 2 * stream.spec->endpoint);
  const auto arrival = last_arrival(op.rank, op.node);
  if (!arrival || history.begun == history.queued) return;
  const std::uint32_t queue = planner_.list(stream.phases)[stream.phase].queue;
  if (const ChunkHistory* before = previous_chunk(stream.rank, queue, stream.op, run_.now())) {
    history.queue = before->queue;
    history.latency = before->latency;
    return;
  }
  history.queue += run_.now() - std::min(run_.now(), std::max(history.queued, *arrival));
}

void RecordingObserver::phase_ends(const Stream& stream) {
  ChunkHistory& history = history_of(stream);
  note_traffic(stream, history.begun);
  const CollectiveOp& op = ops_[stream.op];
  const auto arrival = last_arrival(op.rank, op.node);
  if (!arrival || history.begun < *arrival) history.queue = history.latency = 0;
  if (arrival) {
    const std::int64_t ran = run_.now() - std::max(history.begun, std::min(*arrival, run_.now()));
    const auto [latency, transfer] = uncontended_times(stream);
    history.latency += std::min(ran, latency);
    history.queue += std::max<std::int64_t>(0, ran - latency - transfer);
  }
  const std::uint32_t queue = planner_.list(stream.phases)[stream.phase].queue;
  if (run_.options.record_chunks)
    chunk_phases_.push_back({op.rank, op.node, stream.id.block, queue, history.begun, run_.now()});
  end_phase(stream.rank, queue, stream.op, history, run_.now());
}

// The time of the slowest message of a step without contention, with and without its bytes.
std::pair<std::int64_t, std::int64_t> RecordingObserver::slowest_message(
    const Stream& stream, std::uint32_t packet) const {
  const model::PhaseSpec& spec = *stream.spec;
  const std::int64_t bytes = spec.step_of(packet).bytes;
  const std::uint32_t communicator = chunks_.of(stream).communicator;
  const std::uint32_t from = run_.rank_of(communicator, stream.member);
  const bool direct = spec.peers == Peers::each;
  const bool equivalent =  // all peers are at the same distance
      spec.request.along_dim && !run_.fabric.ports_deviate(spec.request.dim) &&
      run_.fabric.dim(spec.request.dim).block != platform::Block::ring;
  const std::uint32_t keys = direct && !equivalent ? spec.request.ring.size - 1 : 1;
  std::pair<std::int64_t, std::int64_t> slowest{0, 0};
  for (std::uint32_t k = 0; k < keys; ++k) {
    const std::uint32_t key = direct ? 1 + k : spec.key_of(packet);
    const std::uint32_t to =
        run_.rank_of(communicator, spec.destination(stream.member, stream.position, key));
    slowest = std::max(slowest, {transport_.uncontended_time(from, to, bytes),
                                 transport_.uncontended_time(from, to, 0)});
  }
  return slowest;
}

// Direct algorithm on shared links: additional time of the messages of one window over a single
// message, because they leave through the same links.
std::int64_t RecordingObserver::shared_links(const Stream& stream) const {
  const model::PhaseSpec& spec = *stream.spec;
  const platform::Dimension& dim = run_.fabric.dim(spec.request.dim);
  if (!transport_.is_contended() || dim.block == platform::Block::fully_connected) return 0;
  const std::int64_t one =
      run_.fabric.delay_in_dim(spec.request.dim, 0, spec.step_of(0).bytes);  // no hops: its bytes
  const std::int64_t others = std::max(1, spec.window) - 1;
  if (dim.block == platform::Block::switched) return others * one;
  // A ring: the hops of all messages, over two links, minus those of the farthest one.
  const std::int64_t half = spec.request.ring.size / 2;
  return std::max<std::int64_t>(0, (others + 1) * half / 4 - half) * one;
}

// Latency and transfer of the phase without contention: its messages one after another (`window`
// at a time), with the boundary before and after each.
std::pair<std::int64_t, std::int64_t> RecordingObserver::uncontended_times(const Stream& stream) {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.id >= uncontended_.size()) uncontended_.resize(spec.id + 1, {-1, 0});
  const bool same = spec.request.library.nodes > 0 ||
                    (spec.request.along_dim && !run_.fabric.ports_deviate(spec.request.dim));
  if (uncontended_[spec.id].first < 0 || !same)  // the same for every rank
    uncontended_[spec.id] = compute_uncontended(stream);
  return uncontended_[spec.id];
}

// The time of the tree without its bytes is latency.
std::pair<std::int64_t, std::int64_t> RecordingObserver::switch_times(const Stream& stream) const {
  const model::PhaseSpec& spec = *stream.spec;
  const auto tree =
      planner_.switch_tree(chunks_.group(chunks_.of(stream)), spec.request.ring, stream.member);
  if (!tree) return {0, 0};  // the run has failed
  const std::int64_t latency = (*tree)->latency + (*tree)->latency_down;
  return {latency + 2 * spec.endpoint,
          (*tree)->duration(SwitchPhases::switch_collective(spec)) - latency};
}

std::pair<std::int64_t, std::int64_t> RecordingObserver::compute_uncontended(
    const Stream& stream) const {
  const model::PhaseSpec& spec = *stream.spec;
  if (spec.request.library.nodes > 0) return {spec.latency, 2 * spec.endpoint - spec.latency};
  if (SwitchPhases::runs(spec)) return switch_times(stream);
  std::int64_t latency = spec.endpoint, transfer = 0;
  const auto add = [&](std::uint32_t packet, std::int64_t times, std::int64_t more) {
    const auto [delay, hops] = slowest_message(stream, packet);
    latency += times * (hops + spec.endpoint);
    transfer += times * (delay - hops + spec.step_of(packet).reduce + more);
  };
  if (spec.peers == Peers::tree) {
    // Up and down; neighbors of a level are 1, 2, 4 … positions apart.
    const std::uint32_t from = chunks_.rank_of(stream, stream.member);
    for (std::uint32_t apart = 1; apart < spec.request.ring.size; apart *= 2) {
      const std::int64_t bytes = spec.request.data;
      const std::uint32_t to =
          run_.rank_of(chunks_.of(stream).communicator,
                       spec.request.ring.clockwise(stream.member, stream.position, apart));
      const std::int64_t hops = transport_.uncontended_time(from, to, 0);
      latency += 2 * (hops + spec.endpoint);
      transfer +=
          2 * (transport_.uncontended_time(from, to, bytes) - hops) + spec.step_of(0).reduce;
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

// Between nodes, the NIC of each GPU carries an equal share of its node's traffic; of an
// all-to-all, the bytes for other nodes.
void RecordingObserver::note_library_traffic(const Stream& stream, std::int64_t begun) {
  const model::PhaseSpec& spec = *stream.spec;
  const auto bytes = static_cast<std::int64_t>(spec.bytes_of(stream.sent));
  const std::int64_t n = spec.request.ring.size;
  const std::int64_t nodes = spec.request.library.nodes;
  std::int64_t out = 0;
  if (nodes > 1) {
    const std::int64_t near = std::max<std::int64_t>(n / nodes, 1);
    out = spec.request.type == graph::CollectiveType::all_to_all
              ? static_cast<std::int64_t>(spec.bytes_of(static_cast<std::uint32_t>(n - near)))
              : bytes / near;
  }
  const std::uint32_t outer = spec.request.dim;
  if (out > 0) traffic(stream.rank, outer, out, begun, run_.now());
  if (out < bytes) traffic(stream.rank, nodes > 1 ? 0 : outer, bytes - out, begun, run_.now());
}

// Tree phases report each message themselves.
void RecordingObserver::note_traffic(const Stream& stream, std::int64_t begun) {
  const model::PhaseSpec& spec = *stream.spec;
  if (transport_.is_contended() || spec.peers == Peers::tree) return;
  if (spec.request.library.nodes > 0) return note_library_traffic(stream, begun);
  if (spec.request.along_dim) {
    return traffic(stream.rank, spec.request.dim,
                   static_cast<std::int64_t>(spec.bytes_of(stream.sent)), begun, run_.now());
  }
  const bool ring = spec.peers == Peers::next;
  const std::uint32_t packets = ring ? std::min(stream.sent, 1u) : stream.sent;
  for (std::uint32_t packet = 0; packet < packets; ++packet) {
    const std::uint32_t to =
        run_.rank_of(chunks_.of(stream).communicator,
                     spec.destination(stream.member, stream.position, spec.key_of(packet)));
    const std::int64_t bytes = spec.step_of(packet).bytes * (ring ? stream.sent : 1);
    add_message(chunks_.rank_of(stream, stream.member), to, bytes, begun, run_.now() - begun);
  }
}

}  // namespace orrery::sim
